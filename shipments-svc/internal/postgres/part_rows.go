package postgres

import (
	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// partKey is the shipment of a pallet or check, and its position.
type partKey struct {
	Shipment uuid.UUID `json:"shipment_id"`
	Position int       `json:"position"` // from 1
}

// storedPalletRow is a pallet as it is written.
type storedPalletRow struct {
	partKey
	palletRow

	SSCC *string `json:"sscc"`
}

// palletRowsOf returns pallets of a shipment as rows after the given position.
func palletRowsOf(id shipments.ID, after int, all []shipments.Pallet) []storedPalletRow {
	rows := make([]storedPalletRow, len(all))
	for i, p := range all {
		rows[i] = storedPalletRow{partKey: partKey{uuid.UUID(id), after + i + 1}, palletRow: palletRowOf(p)}
		if sscc, ok := p.Label(); ok {
			rows[i].SSCC = &sscc
		}
	}
	return rows
}

// storedCheckRow is a check as it is written.
type storedCheckRow struct {
	partKey
	checkRow
}

func checkRowsOf(id shipments.ID, all []shipments.Check) []storedCheckRow {
	rows := make([]storedCheckRow, len(all))
	for i, c := range all {
		rows[i] = storedCheckRow{partKey{uuid.UUID(id), i + 1}, checkRowOf(c)}
	}
	return rows
}

// palletRow is a shipments.Pallet as SQL names its fields.
type palletRow struct {
	Number      string              `json:"pallet_number"`
	ProduceName string              `json:"produce_name"`
	Calibre     string              `json:"calibre"`
	Boxes       int                 `json:"boxes"`
	BoxWeight   shipments.Grams     `json:"box_weight_g"`
	Document    *uuid.UUID          `json:"document_id"`
	Sheet       string              `json:"source_sheet"`
	Row         *int                `json:"source_row"`
	Places      *shipments.Places   `json:"places"`
	Contents    []shipments.Content `json:"contents"`

	Particulars *shipments.Particulars `json:"particulars"`
}

func palletRowOf(p shipments.Pallet) palletRow {
	row := palletRow{
		Number: p.Number, ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes,
		BoxWeight: p.BoxWeight, Contents: p.Contents,
	}
	if p.Source != (shipments.Source{}) {
		row.Document, row.Sheet, row.Row = new(uuid.UUID(p.Source.Document)), p.Source.Sheet, &p.Source.Row
	}
	if p.Places != (shipments.Places{}) {
		row.Places = &p.Places
	}
	if p.Particulars != (shipments.Particulars{}) {
		row.Particulars = &p.Particulars
	}
	return row
}

func (r palletRow) pallet() shipments.Pallet {
	p := shipments.Pallet{
		Number: r.Number, ProduceName: r.ProduceName, Calibre: r.Calibre, Boxes: r.Boxes,
		BoxWeight: r.BoxWeight, Contents: r.Contents,
	}
	if r.Document != nil && r.Row != nil {
		p.Source = shipments.Source{Document: shipments.DocumentID(*r.Document), Sheet: r.Sheet, Row: *r.Row}
	}
	if r.Places != nil {
		p.Places = *r.Places
	}
	if r.Particulars != nil {
		p.Particulars = *r.Particulars
	}
	return p
}

// checkRow is a shipments.Check as SQL names its fields.
type checkRow struct {
	Name      string           `json:"name"`
	Result    shipments.Result `json:"result"`
	Details   string           `json:"details"`
	Count     int              `json:"count"`
	Locations []locationRow    `json:"locations"`
}

// locationRow is a shipments.Location as it is kept.
type locationRow struct {
	Document uuid.UUID `json:"document_id"` // zero: none
	Sheet    string    `json:"sheet,omitempty"`
	Row      int       `json:"row"`
	Pallet   string    `json:"pallet_number"`
}

func checkRowOf(c shipments.Check) checkRow {
	return checkRow{c.Name, c.Result, c.Details, c.Count, each(c.Locations, func(l shipments.Location) locationRow {
		return locationRow{uuid.UUID(l.Document), l.Sheet, l.Row, l.PalletNumber}
	})}
}

func (r checkRow) check() shipments.Check {
	c := shipments.Check{Name: r.Name, Result: r.Result, Details: r.Details, Count: r.Count}
	for _, l := range r.Locations {
		c.Locations = append(c.Locations, shipments.Location{
			Source:       shipments.Source{Document: shipments.DocumentID(l.Document), Sheet: l.Sheet, Row: l.Row},
			PalletNumber: l.Pallet,
		})
	}
	return c
}
