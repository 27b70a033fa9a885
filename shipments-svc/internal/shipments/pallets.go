package shipments

import (
	"cmp"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Pallet is one pallet of a shipment. Numbers need not be unique: containers may
// number their pallets alike, and a document that lists one of a container twice is a
// finding, not an accident.
type Pallet struct {
	Number           string         `json:"pallet_number"`
	ProduceName      string         `json:"produce_name"`
	Calibre          string         `json:"calibre"` // as written: "18", "1XX", "75-80 mm"
	Boxes            int            `json:"boxes"`
	BoxWeight        list.Grams     `json:"box_weight_g"`
	Source                          // where it begins
	Places           list.Places    `json:"places,omitzero"`    // of values that were read elsewhere in the document
	Contents         []list.Content `json:"contents,omitempty"` // the lines that it was put together from; nil: one
	list.Particulars `json:"particulars,omitzero"`
}

// Content returns the pallet as one line.
func (p Pallet) Content() list.Content {
	return list.Content{
		ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight,
		Particulars: p.Particulars, Place: list.Place{Sheet: p.Sheet, Row: p.Row},
	}
}

// Lines returns the lines that the pallet was put together from: one at least.
func (p Pallet) Lines() []list.Content {
	if len(p.Contents) == 0 {
		return []list.Content{p.Content()}
	}
	return p.Contents
}

// Net returns the net weight of the pallet: the sum of its lines'.
func (p Pallet) Net() (sum list.Grams) {
	for _, c := range p.Contents {
		sum += c.Net()
	}
	return cmp.Or(sum, p.NetWeight, list.Grams(p.Boxes)*p.BoxWeight)
}

// Label returns the SSCC of a pallet: the one that its document names, or its number if
// that is one; or "".
func (p Pallet) Label() string { return list.SSCC(cmp.Or(p.SSCC, p.Number)) }
