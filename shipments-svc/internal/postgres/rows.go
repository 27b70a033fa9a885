package postgres

import (
	"database/sql"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// revisedRow is a shipment with the results of its checks, each once; null: as they are.
type revisedRow struct {
	shipments.Shipment

	CheckResults []shipments.Result `json:"check_results"`
}

func revisedRowOf(s shipments.Shipment, checks []shipments.Check) revisedRow {
	row := revisedRow{Shipment: s}
	if checks != nil {
		row.CheckResults = []shipments.Result{}
	}
	for _, c := range checks {
		if !slices.Contains(row.CheckResults, c.Result) {
			row.CheckResults = append(row.CheckResults, c.Result)
		}
	}
	return row
}

// page is a part of a list, and how many elements the list has.
type page[Element any] struct {
	Total    int64
	Elements fromJSON[[]Element]
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

// partKey is the shipment of a pallet or check, and its position.
type partKey struct {
	Shipment uuid.UUID `json:"shipment_id"`
	Position int       `json:"position"` // from 1
}

// palletRow is a pallet as it is written.
type palletRow struct {
	partKey
	shipments.Pallet

	SSCC *string `json:"sscc"`
}

// palletRows returns pallets of a shipment as rows after the given position.
func palletRows(id shipments.ID, after int, all []shipments.Pallet) []palletRow {
	rows := make([]palletRow, len(all))
	for i, p := range all {
		rows[i] = palletRow{partKey: partKey{uuid.UUID(id), after + i + 1}, Pallet: p}
		if sscc, ok := p.Label(); ok {
			rows[i].SSCC = &sscc
		}
	}
	return rows
}

// checkRow is a check as it is written.
type checkRow struct {
	partKey
	shipments.Check
}

func checkRows(id shipments.ID, all []shipments.Check) []checkRow {
	rows := make([]checkRow, len(all))
	for i, c := range all {
		rows[i] = checkRow{partKey{uuid.UUID(id), i + 1}, c}
	}
	return rows
}
