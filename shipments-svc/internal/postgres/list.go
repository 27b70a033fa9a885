package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// List implements shipments.Repository.
func (r *Repository) List(
	ctx context.Context, org shipments.OrgID, f shipments.Filter, offset, limit int64,
) ([]shipments.Shipment, int64, error) {
	list, args := listQuery(org, f, offset, limit)
	row, err := getRow[page[shipments.Shipment]](ctx, r.tenant(ctx, org), list, args...)
	return row.Elements.value, row.Total, err
}

// ListAfter implements shipments.Repository.
func (r *Repository) ListAfter(
	ctx context.Context, org shipments.OrgID, f shipments.Filter, last *shipments.Shipment, limit int64,
) ([]shipments.Shipment, error) {
	list, args := listAfterQuery(org, f, last, limit)
	return getJSON[[]shipments.Shipment](ctx, r.tenant(ctx, org), list, args...)
}

// listQuery returns the query of a list and its arguments: by the counters
// where they know what the filter asks, by an index where they do not and for
// the first page. Shipments have whole milliseconds, so a bound of their times
// between two of them is moved to where it selects the same.
func listQuery(org shipments.OrgID, f shipments.Filter, offset, limit int64) (statement, []any) {
	args := []any{uuid.UUID(org), offset, limit, string(f.Status)}
	if f != (shipments.Filter{Status: f.Status}) {
		created := when(f.CreatedBefore != nil, 6, "created_at < $6")
		materialized, found := "NOT MATERIALIZED", created+conditions(f)
		if f.Search != "" { // it is little
			materialized = "MATERIALIZED"
		} else if f.UpdatedAfter != nil {
			found += " OFFSET 0" // by its index, and not in the order of the page
		}
		return query("list_filtered").with("materialized", materialized).with("conditions", found),
			append(args, filterArgs(f)...)
	}
	list, ofStatus := query("list_page"), ""
	if offset == 0 {
		list = query("list_newest").with("order", newest)
	}
	if f.Status != "" {
		ofStatus = " AND status = $4"
	}
	return list.with("conditions", ofStatus), args
}

// Sorted implements shipments.Repository.
func (r *Repository) Sorted(
	ctx context.Context, org shipments.OrgID, f shipments.Filter, s shipments.Sort, offset, limit int64,
) ([]shipments.Shipment, int64, error) {
	list, args := sortedQuery(org, f, s, offset, limit)
	row, err := getRow[page[shipments.Shipment]](ctx, r.tenant(ctx, org), list, args...)
	if f != (shipments.Filter{}) && err == nil && row.Total > shipments.MaxMatches {
		err = shipments.ErrTooBroad
	}
	return row.Elements.value, row.Total, err
}

// newest is the order of lists that are not sorted by anything else.
const newest = "created_at DESC, id DESC"

// sortKeys are columns of shipments that indexes begin with, followed by those of newest.
var sortKeys = map[string]string{
	"reference": "reference", "vessel": "vessel_lower", "destination": "destination_lower", "updated": "updated_at",
	"created": "created_at",
}

// sortedQuery returns the query of a sorted list and its arguments. All shipments are read from an index in the order,
// of which the sort of those with equal keys is little.
func sortedQuery(org shipments.OrgID, f shipments.Filter, s shipments.Sort, offset, limit int64) (statement, []any) {
	order := "{key} ASC, " + newest
	if s.Reverse {
		order = "{key} DESC, created_at ASC, id ASC"
	}
	args := []any{uuid.UUID(org), offset, limit, string(f.Status)}
	if f == (shipments.Filter{}) {
		list := query("list_newest").with("conditions", "").with("order", order)
		return list.with("key", sortKeys[s.By]), args
	}
	created := when(f.CreatedBefore != nil, 6, "created_at < $6")
	list := query("list_sorted").with("conditions", created+conditions(f)).with("key", sortKeys[s.By])
	list = list.with("order", order).with("key", "key")
	return list.with("most", strconv.Itoa(shipments.MaxMatches)), append(args, filterArgs(f)...)
}

// Tallies implements shipments.Repository.
func (r *Repository) Tallies(
	ctx context.Context, org shipments.OrgID, ids []shipments.ID,
) (map[shipments.ID]shipments.Tally, error) {
	return getJSON[map[shipments.ID]shipments.Tally](ctx, r.tenant(ctx, org), query("read_tallies"), org, arrayOf(ids))
}

// Overview implements shipments.Repository.
func (r *Repository) Overview(
	ctx context.Context, org shipments.OrgID, monday time.Time, few int,
) (shipments.Overview, error) {
	return getJSON[shipments.Overview](ctx, r.tenant(ctx, org), query("read_overview"), org, few, monday,
		shipments.MaxFailing)
}

// listAfterQuery returns the query of the shipments after one, and its arguments.
func listAfterQuery(org shipments.OrgID, f shipments.Filter, last *shipments.Shipment, limit int64) (statement, []any) {
	key := uuid.Nil
	args := filterArgs(f)
	if f.CreatedBefore == nil {
		args[1] = "infinity"
	}
	if last != nil {
		key, args[1] = uuid.UUID(last.ID), last.CreatedAt // what precedes it is before CreatedBefore, too
	}
	return query("list_after").with("conditions", conditions(f)),
		append([]any{uuid.UUID(org), key, limit, string(f.Status)}, args...)
}

// filterArgs are the arguments of conditions from $5 on.
func filterArgs(f shipments.Filter) []any {
	bound := func(t *time.Time, up time.Duration) any {
		if t == nil {
			return ""
		}
		return t.Add(up).UTC().Truncate(time.Millisecond)
	}
	args := []any{
		bound(f.CreatedAfter, 0), bound(f.CreatedBefore, time.Millisecond-1), string(f.CheckResult),
		postgres.LikeText.Replace(f.Search), bound(f.UpdatedAfter, 0),
	}
	for _, t := range shipments.FilterFields {
		args = append(args, t.Of(f.Texts))
	}
	return args
}

// conditions are those of shipments of the status $4, created after $5, with the check result $7, found by the
// search $8, updated after $9, whose FilterFields match $10 and following.
func conditions(f shipments.Filter) string {
	result := pq.QuoteLiteral(string(f.CheckResult)) // each has an index of its own, which no parameter chooses
	all := []string{
		when(f.CreatedAfter != nil, 5, "created_at > $5"), when(f.Status != "", 4, "status = $4"),
		when(f.CheckResult != "", 7, "$7 = "+result+" AND "+result+" = ANY (check_results)"),
		when(f.Search != "", 8, fmt.Sprintf("id IN (SELECT search_shipments($8, %[1]d) UNION "+
			"SELECT search_pallets($1, $8, %[1]d))", shipments.MaxMatches)),
		when(f.UpdatedAfter != nil, 9, "updated_at > $9"),
	}
	for i, t := range shipments.FilterFields {
		all = append(all, when(t.Of(f.Texts) != "", 10+i, matches(t, 10+i)))
	}
	return strings.Join(all, "")
}

// when returns a condition if it is given, and otherwise one that its parameter,
// which is then empty, meets: each combination of filters is a statement of its
// own, whose plan fits however often it is used again.
func when(given bool, parameter int, condition string) string {
	if given {
		return " AND " + condition
	}
	return fmt.Sprintf(" AND $%d = ''", parameter)
}

// matches is the condition that a text matches a parameter. That it begins with it is a range, which an index serves
// for any value.
func matches(t shipments.TextField, parameter int) string {
	if t.Filter == shipments.Prefix {
		return fmt.Sprintf("%[1]s_lower >= lower($%[2]d::text) AND %[1]s_lower < lower($%[2]d::text) || chr(1114111)",
			t.Name, parameter)
	}
	return fmt.Sprintf("%s = $%d", t.Name, parameter)
}
