package postgres

import (
	"database/sql"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// revisedRow is a shipment with the results of its checks, each once.
type revisedRow struct {
	shipments.Shipment

	CheckResults []shipments.Result `json:"check_results"`
}

func revisedRowOf(s shipments.Shipment, checks []shipments.Check) revisedRow {
	row := revisedRow{s, make([]shipments.Result, 0, len(shipments.Results))}
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
	Shipment fromJSON[*shipments.Shipment] // or null
}

// inUTC returns a shipment with its times in UTC, as times in JSON are not.
func inUTC(s shipments.Shipment) shipments.Shipment {
	s.CreatedAt, s.ApprovedAt = s.CreatedAt.UTC(), s.ApprovedAt.UTC()
	return s
}

func documentInUTC(d shipments.Document) shipments.Document {
	d.CreatedAt, d.ProcessedAt = d.CreatedAt.UTC(), d.ProcessedAt.UTC()
	return d
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
