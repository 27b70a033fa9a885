package postgres

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// parts reads a JSON array of rows.
func parts[Row, Part any](text []byte, part func(Row) Part) ([]Part, error) {
	var rows []Row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	all := make([]Part, len(rows))
	for i, row := range rows {
		all[i] = part(row)
	}
	return all, nil
}

// said returns what rows say.
func said[Row, Thing any](rows []Row, say func(Row) (Thing, error)) ([]Thing, error) {
	all := make([]Thing, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = say(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// partRow is a pallet or check, and where it belongs.
type partRow[Part any] struct {
	Shipment uuid.UUID `json:"shipment_id"`
	Position int       `json:"position"` // from 1
	Part     Part      `json:"part"`
}

// partRows returns parts of a shipment as rows, after so many that it has.
func partRows[Part, Row any](id shipments.ID, after int, all []Part, rowOf func(Part) Row) []partRow[Row] {
	rows := make([]partRow[Row], len(all))
	for i, part := range all {
		rows[i] = partRow[Row]{uuid.UUID(id), after + i + 1, rowOf(part)}
	}
	return rows
}

// palletRow is a shipments.Pallet as SQL names its fields.
type palletRow struct {
	Number      string          `json:"pallet_number"`
	ProduceName string          `json:"produce_name"`
	Calibre     string          `json:"calibre"`
	Boxes       int             `json:"boxes"`
	BoxWeight   shipments.Grams `json:"box_weight_g"`
	Document    *uuid.UUID      `json:"document_id"`
	Sheet       string          `json:"source_sheet"`
	Row         *int            `json:"source_row"`
	Places      *placesRow      `json:"places"`
	Contents    []contentRow    `json:"contents"`
	SSCC        *string         `json:"sscc,omitempty"` // only written
}

func palletRowOf(p shipments.Pallet) palletRow {
	row := palletRow{Number: p.Number, ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight}
	if p.Source != (shipments.Source{}) {
		row.Document, row.Sheet, row.Row = new(uuid.UUID(p.Source.Document)), p.Source.Sheet, &p.Source.Row
	}
	if p.Places != (shipments.Places{}) {
		row.Places = new(placesRowOf(p.Places))
	}
	for _, c := range p.Contents {
		row.Contents = append(row.Contents, contentRow{c.ProduceName, c.Calibre, c.Lot, c.Orchard, c.Boxes, c.BoxWeight, placeRow(c.Place)})
	}
	if sscc, ok := shipments.SSCC(p.Number); ok {
		row.SSCC = &sscc
	}
	return row
}

func (r palletRow) pallet() shipments.Pallet {
	p := shipments.Pallet{Number: r.Number, ProduceName: r.ProduceName, Calibre: r.Calibre, Boxes: r.Boxes, BoxWeight: r.BoxWeight}
	if r.Document != nil && r.Row != nil {
		p.Source = shipments.Source{Document: shipments.DocumentID(*r.Document), Sheet: r.Sheet, Row: *r.Row}
	}
	if r.Places != nil {
		p.Places = r.Places.places()
	}
	for _, c := range r.Contents {
		p.Contents = append(p.Contents, shipments.Content{
			ProduceName: c.ProduceName, Calibre: c.Calibre, Lot: c.Lot, Orchard: c.Orchard, Boxes: c.Boxes, BoxWeight: c.BoxWeight, Place: shipments.Place(c.Place),
		})
	}
	return p
}

// placeRow is a shipments.Place as it is kept.
type placeRow struct {
	Sheet string `json:"sheet,omitempty"`
	Row   int    `json:"row,omitempty"`
}

// placesRow is a shipments.Places as it is kept.
type placesRow struct {
	Number      placeRow `json:"pallet_number,omitzero"`
	ProduceName placeRow `json:"produce_name,omitzero"`
	Calibre     placeRow `json:"calibre,omitzero"`
	Boxes       placeRow `json:"boxes,omitzero"`
	BoxWeight   placeRow `json:"box_weight_g,omitzero"`
}

func placesRowOf(p shipments.Places) placesRow {
	return placesRow{placeRow(p.Number), placeRow(p.ProduceName), placeRow(p.Calibre), placeRow(p.Boxes), placeRow(p.BoxWeight)}
}

func (r placesRow) places() shipments.Places {
	return shipments.Places{
		Number: shipments.Place(r.Number), ProduceName: shipments.Place(r.ProduceName), Calibre: shipments.Place(r.Calibre),
		Boxes: shipments.Place(r.Boxes), BoxWeight: shipments.Place(r.BoxWeight),
	}
}

// contentRow is a shipments.Content as it is kept.
type contentRow struct {
	ProduceName string          `json:"produce_name"`
	Calibre     string          `json:"calibre"`
	Lot         string          `json:"lot,omitempty"`
	Orchard     string          `json:"orchard,omitempty"`
	Boxes       int             `json:"boxes"`
	BoxWeight   shipments.Grams `json:"box_weight_g"`
	Place       placeRow        `json:"place"`
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
	row := checkRow{Name: c.Name, Result: c.Result, Details: c.Details, Count: c.Count, Locations: []locationRow{}}
	for _, l := range c.Locations {
		row.Locations = append(row.Locations, locationRow{uuid.UUID(l.Document), l.Sheet, l.Row, l.PalletNumber})
	}
	return row
}

func (r checkRow) check() shipments.Check {
	c := shipments.Check{Name: r.Name, Result: r.Result, Details: r.Details, Count: r.Count}
	for _, l := range r.Locations {
		c.Locations = append(c.Locations, shipments.Location{
			Source: shipments.Source{Document: shipments.DocumentID(l.Document), Sheet: l.Sheet, Row: l.Row}, PalletNumber: l.Pallet,
		})
	}
	return c
}
