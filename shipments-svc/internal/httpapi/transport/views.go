package transport

import (
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// itemView is a shipment as a list shows it.
type itemView struct {
	ID        string           `json:"id"`
	Reference string           `json:"reference"` // stands before status; Draft has it, too
	Status    shipments.Status `json:"status"`
	shipments.Draft
	PalletsCount int    `json:"pallets_count"`
	CreatedAt    string `json:"created_at"`
	UpdatedAt    string `json:"updated_at"`
	ApprovedAt   string `json:"approved_at,omitempty"`
}

// detailView is one shipment with its parts.
type detailView struct {
	itemView
	Pallets   []palletView   `json:"pallets"`
	More      *moreView      `json:"more_pallets,omitempty"` // nil: Pallets has all
	Checks    []checkView    `json:"checks"`
	Documents []documentView `json:"documents"`
}

// moreView says that a shipment has more pallets than are shown, and where they are.
type moreView struct {
	Lines int    `json:"lines"` // that are shown
	Total int64  `json:"total"`
	Next  string `json:"next"`
}

type palletsView struct {
	Pallets []partView       `json:"pallets"`
	Meta    shipments.Paging `json:"meta"`
}

// partView is a pallet with those of its lines that are on a page.
type partView struct {
	palletView
	Lines int `json:"lines"`
	From  int `json:"contents_from,omitempty"`
}

type palletView struct {
	Number string `json:"pallet_number"`
	contentView
	placeView
	Places   list.Places `json:"places,omitzero"`
	Contents []lineView  `json:"contents,omitempty"`
}

// lineView is a line of a pallet with its place.
type lineView struct {
	contentView
	list.Place
}

// contentView is what a pallet or a line of it has.
type contentView struct {
	ProduceName string  `json:"produce_name"`
	Calibre     string  `json:"calibre"`
	Boxes       int     `json:"boxes"`
	BoxWeight   float64 `json:"box_weight_kg"`
	NetWeight   float64 `json:"net_weight_kg,omitempty"`
	GrossWeight float64 `json:"gross_weight_kg,omitempty"`
	list.Labels
}

func viewContent(c list.Content) contentView {
	return contentView{
		c.ProduceName, c.Calibre, c.Boxes, c.BoxWeight.Kilograms(), c.NetWeight.Kilograms(), c.GrossWeight.Kilograms(),
		c.Labels,
	}
}

// placeView is where a pallet was read, or something found; it is empty where that is unknown.
type placeView struct {
	PalletNumber string `json:"pallet_number,omitempty"` // of what was found
	DocumentID   string `json:"document_id,omitempty"`
	Sheet        string `json:"sheet,omitempty"`
	Row          int    `json:"row,omitempty"`
}

type checkView struct {
	Name    string           `json:"name"`
	Result  shipments.Result `json:"result"`
	Details string           `json:"details"`

	Count     int         `json:"count"`
	Locations []placeView `json:"locations"`

	Suggestions []shipments.Suggestion `json:"suggestions,omitempty"`
}

func viewItem(s shipments.Shipment) itemView {
	return itemView{
		ID: ShipmentIDs.Format(s.ID), Reference: s.Reference, Status: s.Status, Draft: s.Draft,
		PalletsCount: s.PalletsCount, CreatedAt: viewTime(s.CreatedAt), UpdatedAt: viewTime(s.UpdatedAt),
		ApprovedAt: viewTime(s.ApprovedAt),
	}
}

func viewDetail(d shipments.Detail) detailView {
	return detailView{
		itemView: viewItem(d.Shipment), Pallets: each(d.Pallets, viewPallet), Checks: each(d.Checks, viewCheck),
		Documents: each(d.Documents, viewDocument),
	}
}

func viewPallet(p shipments.Pallet) palletView {
	view := palletView{
		Number: p.Number, contentView: viewContent(p.Content()), Places: p.Places,
		placeView: viewPlace(shipments.Location{Source: p.Source}),
	}
	for _, c := range p.Contents {
		view.Contents = append(view.Contents, lineView{viewContent(c), c.Place})
	}
	return view
}

func viewPart(p shipments.PalletPart) partView {
	return partView{viewPallet(p.Pallet), p.Lines, p.From}
}

func viewCheck(c shipments.Check) checkView {
	return checkView{c.Name, c.Result, c.Details, c.Count, each(c.Locations, viewPlace), c.Suggestions}
}

// each returns the views of all elements. The result is never nil.
func each[A, B any](all []A, view func(A) B) []B {
	views := make([]B, len(all))
	for i, a := range all {
		views[i] = view(a)
	}
	return views
}

func viewPlace(l shipments.Location) placeView {
	view := placeView{PalletNumber: l.PalletNumber, Sheet: l.Sheet, Row: l.Row}
	if l.Document != (shipments.DocumentID{}) {
		view.DocumentID = DocumentIDs.Format(l.Document)
	}
	return view
}

// viewTime formats an instant; the zero time is "".
func viewTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
