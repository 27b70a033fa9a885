package transport

import (
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/ids"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// shipmentPrefix begins the identifiers of shipments.
const shipmentPrefix = "ship"

// itemView is a shipment as a list shows it.
type itemView struct {
	ID           string           `json:"id"`
	Reference    string           `json:"reference"`
	Status       shipments.Status `json:"status"`
	Vessel       string           `json:"vessel"`
	Origin       string           `json:"origin"`
	Destination  string           `json:"destination"`
	PalletsCount int              `json:"pallets_count"`
	CreatedAt    string           `json:"created_at"`
	ApprovedAt   string           `json:"approved_at,omitempty"`
}

// detailView is a shipment as it is shown alone.
type detailView struct {
	itemView
	Pallets []palletView `json:"pallets"`
	Checks  []checkView  `json:"checks"`
}

type palletView struct {
	Number      string  `json:"pallet_number"`
	ProduceName string  `json:"produce_name"`
	Calibre     string  `json:"calibre"`
	Boxes       int     `json:"boxes"`
	BoxWeight   float64 `json:"box_weight_kg"`
}

type checkView struct {
	Name    string           `json:"name"`
	Result  shipments.Result `json:"result"`
	Details string           `json:"details"`
}

func viewItem(s shipments.Shipment) itemView {
	return itemView{
		ID: viewID(s.ID), Reference: s.Reference, Status: s.Status, Vessel: s.Vessel,
		Origin: s.Origin, Destination: s.Destination, PalletsCount: s.PalletsCount,
		CreatedAt: viewTime(s.CreatedAt), ApprovedAt: viewTime(s.ApprovedAt),
	}
}

func viewDetail(d shipments.Detail) detailView {
	view := detailView{
		itemView: viewItem(d.Shipment),
		Pallets:  make([]palletView, len(d.Pallets)),
		Checks:   make([]checkView, len(d.Checks)),
	}
	for i, p := range d.Pallets {
		view.Pallets[i] = palletView{p.Number, p.ProduceName, p.Calibre, p.Boxes, float64(p.BoxWeight) / 1000}
	}
	for i, c := range d.Checks {
		view.Checks[i] = checkView(c)
	}
	return view
}

func viewID(id shipments.ID) string {
	return ids.Format(shipmentPrefix, uuid.UUID(id))
}

// viewTime shows an instant, and the zero time as nothing.
func viewTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
