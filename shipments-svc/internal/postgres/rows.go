package postgres

import (
	"database/sql"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// shipmentRow is a shipments.Shipment as it is stored, in the table and in
// events.
type shipmentRow struct {
	ID      uuid.UUID        `json:"id"`
	Version int64            `json:"version"`
	Status  shipments.Status `json:"status"`
	shipments.Draft
	PalletsCount int       `json:"pallets_count"`
	CreatedAt    time.Time `json:"created_at"`
	ApprovedAt   time.Time `json:"approved_at,omitzero"`
}

func shipmentRowOf(s shipments.Shipment) shipmentRow {
	return shipmentRow{
		ID: uuid.UUID(s.ID), Version: s.Version, Status: s.Status, Draft: s.Draft,
		PalletsCount: s.PalletsCount, CreatedAt: s.CreatedAt, ApprovedAt: s.ApprovedAt,
	}
}

func (r shipmentRow) shipment() shipments.Shipment {
	return shipments.Shipment{
		ID: shipments.ID(r.ID), Draft: r.Draft, Status: r.Status, Version: r.Version,
		PalletsCount: r.PalletsCount, CreatedAt: r.CreatedAt.UTC(), ApprovedAt: r.ApprovedAt.UTC(),
	}
}

// revisedRow is a shipment with the results of its checks, each once.
type revisedRow struct {
	shipmentRow

	CheckResults []shipments.Result `json:"check_results"`
}

func revisedRowOf(s shipments.Shipment, checks []shipments.Check) revisedRow {
	row := revisedRow{shipmentRowOf(s), make([]shipments.Result, 0, len(shipments.Results))}
	for _, c := range checks {
		if !slices.Contains(row.CheckResults, c.Result) {
			row.CheckResults = append(row.CheckResults, c.Result)
		}
	}
	return row
}

// listRow is a row of a list. An empty page has one row, of the total only.
type listRow struct {
	Total    int64
	Shipment fromJSON[*shipmentRow] // or null
}

// summaryRow is the result of headSQL.
type summaryRow struct {
	shipmentRow

	Failing   []string `json:"failing"`
	Documents int      `json:"documents"`
}

// detailRow is the result of getSQL.
type detailRow struct {
	shipmentRow

	Pallets   []palletRow   `json:"pallets"`
	Checks    []checkRow    `json:"checks"`
	Documents []documentRow `json:"documents"`
}

func (r detailRow) detail() shipments.Detail {
	return shipments.Detail{
		Shipment:  r.shipment(),
		Pallets:   each(r.Pallets, palletRow.pallet),
		Checks:    each(r.Checks, checkRow.check),
		Documents: each(r.Documents, documentRow.document),
	}
}

// each converts the elements of a slice. The result is never nil.
func each[A, B any](all []A, convert func(A) B) []B {
	converted := make([]B, len(all))
	for i, a := range all {
		converted[i] = convert(a)
	}
	return converted
}

// arrayOf returns identifiers as an argument that is an array of uuid.
func arrayOf[ID ~[16]byte](ids []ID) any {
	return pq.Array(each(ids, func(id ID) string { return uuid.UUID(id).String() }))
}

// idsOf returns the identifiers of a column of uuid.
func idsOf[ID ~[16]byte](column []uuid.UUID) []ID {
	return each(column, func(id uuid.UUID) ID { return ID(id) })
}

func nullTime(t time.Time) sql.NullTime {
	return sql.NullTime{Time: t, Valid: !t.IsZero()}
}
