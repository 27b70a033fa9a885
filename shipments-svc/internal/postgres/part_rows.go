package postgres

import (
	"encoding/json"
	"time"

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
	Row         *int            `json:"source_row"`
	SSCC        *string         `json:"sscc,omitempty"` // only written
}

func palletRowOf(p shipments.Pallet) palletRow {
	row := palletRow{Number: p.Number, ProduceName: p.ProduceName, Calibre: p.Calibre, Boxes: p.Boxes, BoxWeight: p.BoxWeight}
	if p.Source != (shipments.Source{}) {
		row.Document, row.Row = new(uuid.UUID(p.Source.Document)), &p.Source.Row
	}
	if sscc, ok := shipments.SSCC(p.Number); ok {
		row.SSCC = &sscc
	}
	return row
}

func (r palletRow) pallet() shipments.Pallet {
	p := shipments.Pallet{Number: r.Number, ProduceName: r.ProduceName, Calibre: r.Calibre, Boxes: r.Boxes, BoxWeight: r.BoxWeight}
	if r.Document != nil && r.Row != nil {
		p.Source = shipments.Source{Document: shipments.DocumentID(*r.Document), Row: *r.Row}
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
	Row      int       `json:"row"`
	Pallet   string    `json:"pallet_number"`
}

func checkRowOf(c shipments.Check) checkRow {
	row := checkRow{Name: c.Name, Result: c.Result, Details: c.Details, Count: c.Count, Locations: []locationRow{}}
	for _, l := range c.Locations {
		row.Locations = append(row.Locations, locationRow{uuid.UUID(l.Document), l.Row, l.PalletNumber})
	}
	return row
}

func (r checkRow) check() shipments.Check {
	c := shipments.Check{Name: r.Name, Result: r.Result, Details: r.Details, Count: r.Count}
	for _, l := range r.Locations {
		c.Locations = append(c.Locations, shipments.Location{
			Source: shipments.Source{Document: shipments.DocumentID(l.Document), Row: l.Row}, PalletNumber: l.Pallet,
		})
	}
	return c
}

// documentRow is a shipments.Document as SQL names its fields.
type documentRow struct {
	ID               uuid.UUID                `json:"id"`
	Type             shipments.DocumentType   `json:"type"`
	Status           shipments.DocumentStatus `json:"status"`
	SHA256           []byte                   `json:"sha256"` // base64 in JSON
	RowsRead         int                      `json:"rows_read"`
	PalletsExtracted int                      `json:"pallets_extracted"`
	Declared         declaredRow              `json:"declared"`
	CreatedAt        time.Time                `json:"created_at"`
	ProcessedAt      time.Time                `json:"processed_at"`
}

// declaredRow is a shipments.Declared as it is kept.
type declaredRow struct {
	Pallets         int             `json:"pallets,omitempty"`
	Boxes           int             `json:"boxes,omitempty"`
	NetWeight       shipments.Grams `json:"net_weight_g,omitempty"`
	ContainerNumber string          `json:"container_number,omitempty"`
}

func documentRowOf(d shipments.Document) documentRow {
	return documentRow{
		ID: uuid.UUID(d.ID), Type: d.Type, Status: d.Status, SHA256: d.SHA256[:],
		RowsRead: d.RowsRead, PalletsExtracted: d.PalletsExtracted, Declared: declaredRow(d.Declared),
		CreatedAt: d.CreatedAt, ProcessedAt: d.ProcessedAt,
	}
}

func (r documentRow) document() shipments.Document {
	return shipments.Document{
		ID: shipments.DocumentID(r.ID), Type: r.Type, Status: r.Status, SHA256: [32]byte(r.SHA256),
		RowsRead: r.RowsRead, PalletsExtracted: r.PalletsExtracted, Declared: shipments.Declared(r.Declared),
		CreatedAt: r.CreatedAt.UTC(), ProcessedAt: r.ProcessedAt.UTC(),
	}
}
