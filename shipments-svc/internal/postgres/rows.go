package postgres

import (
	"database/sql"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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

// palletRow is a pallet as it is written.
type palletRow struct {
	shipments.Pallet

	SSCC *string `json:"sscc"`
}

func palletRowOf(p shipments.Pallet) palletRow {
	row := palletRow{Pallet: p}
	if sscc, ok := p.Label(); ok {
		row.SSCC = &sscc
	}
	return row
}
