package reader

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// readingOf says in the domain's words what was read.
func readingOf(list packinglist.List) shipments.Reading {
	reading := shipments.Reading{Declared: list.Declared, RowsRead: list.RowsRead, Mappings: list.Mappings}
	for _, p := range list.Pallets {
		reading.Pallets = append(reading.Pallets, palletOf(p))
	}
	for _, f := range list.Facts {
		reading.Facts = append(reading.Facts, shipments.Fact{Kind: shipments.FactKind(f.Kind), Text: f.Text, Place: placeOf(f.Place)})
	}
	for _, r := range list.Remarks {
		reading.Remarks = append(reading.Remarks, shipments.Remark{Code: r.Code, Text: r.Text, Place: placeOf(r.Place)})
	}
	return reading
}

// palletOf returns a pallet whose source is where its number stands or, without
// one, its first line. Places that are the same say nothing more.
func palletOf(p packinglist.Pallet) shipments.Pallet {
	begins := placeOf(p.At.Number)
	if begins.Row == 0 && len(p.Contents) > 0 {
		begins = placeOf(p.Contents[0].Place)
	}
	other := func(at packinglist.Place) shipments.Place {
		if place := placeOf(at); place.Row != 0 && place != begins {
			return place
		}
		return shipments.Place{}
	}
	pallet := shipments.Pallet{
		Number: p.Number, ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight,
		Source: shipments.Source{Sheet: begins.Sheet, Row: begins.Row},
		Places: shipments.Places{
			ProduceName: other(p.At.ProduceName), Calibre: other(p.At.Calibre), Boxes: other(p.At.Boxes), BoxWeight: other(p.At.BoxWeight),
		},
	}
	if len(p.Contents) == 1 && p.Contents[0].Lot == "" && p.Contents[0].Orchard == "" {
		return pallet
	}
	for _, c := range p.Contents {
		pallet.Contents = append(pallet.Contents, shipments.Content{
			ProduceName: c.ProduceName, Calibre: c.Calibre, Lot: c.Lot, Orchard: c.Orchard, Boxes: c.Boxes, BoxWeight: c.BoxWeight, Place: placeOf(c.Place),
		})
	}
	return pallet
}

func placeOf(p packinglist.Place) shipments.Place { return shipments.Place{Sheet: p.Sheet, Row: p.Row} }

// failureOf says why a file was not read, as a sentence with its place.
func failureOf(u packinglist.Unreadable) shipments.Failure {
	var at []string
	if u.Place.Sheet != "" {
		at = append(at, u.Place.Sheet)
	}
	if u.Place.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", u.Place.Row))
	}
	detail := u.Detail
	if at != nil {
		detail += " (" + strings.Join(at, ", ") + ")"
	}
	return shipments.Failure{Code: u.Code, Detail: detail + "."}
}
