package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// anyStatus is the status of the counters of all shipments together. A list of them all would
// else have to sum those of every status.
const anyStatus shipments.Status = ""

// List implements shipments.Repository.
func (r *Repository) List(
	ctx context.Context, org shipments.OrgID, f shipments.Filter, offset, limit int64,
) ([]shipments.Shipment, int64, error) {
	query, args := listQuery(org, f, offset, limit)
	row, err := getRow[page[shipments.Shipment]](ctx, r.tenant(ctx, org), "list shipments", query, args...)
	return row.Elements.value, row.Total, err
}

// listQuery returns the query of a list and its arguments: by the counters
// where they know what the filter asks, by an index where they do not and for
// the first page. Shipments have whole milliseconds, so a bound of their creation
// between two of them is moved to where it selects the same.
func listQuery(org shipments.OrgID, f shipments.Filter, offset, limit int64) (string, []any) {
	args := []any{uuid.UUID(org), offset, limit, string(f.Status)}
	switch {
	case f != shipments.Filter{Status: f.Status}:
		after, before := any("-infinity"), any("infinity")
		if f.CreatedAfter != nil {
			after = f.CreatedAfter.UTC().Truncate(time.Millisecond)
		}
		if f.CreatedBefore != nil {
			before = f.CreatedBefore.Add(time.Millisecond - 1).UTC().Truncate(time.Millisecond)
		}
		return listSelected(f), append(args, after, before, string(f.CheckResult), f.Reference, f.Vessel, f.Destination)
	case offset == 0 && f.Status != anyStatus:
		return listNewestOfStatusSQL, args
	case offset == 0:
		return listNewestSQL, args
	case f.Status != anyStatus:
		return listOfStatusSQL, args
	default:
		return listSQL, args
	}
}
