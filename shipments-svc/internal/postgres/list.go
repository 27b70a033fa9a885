package postgres

import (
	"context"
	"fmt"
	"strings"
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

// ListAfter implements shipments.Repository.
func (r *Repository) ListAfter(
	ctx context.Context, org shipments.OrgID, f shipments.Filter, last *shipments.Shipment, limit int64,
) ([]shipments.Shipment, error) {
	query, args := listAfterQuery(org, f, last, limit)
	return getJSON[[]shipments.Shipment](ctx, r.tenant(ctx, org), "export shipments", query, args...)
}

// listQuery returns the query of a list and its arguments: by the counters
// where they know what the filter asks, by an index where they do not and for
// the first page. Shipments have whole milliseconds, so a bound of their times
// between two of them is moved to where it selects the same.
func listQuery(org shipments.OrgID, f shipments.Filter, offset, limit int64) (string, []any) {
	args := []any{uuid.UUID(org), offset, limit, string(f.Status)}
	switch {
	case f != shipments.Filter{Status: f.Status}:
		return listSelected(f), append(args, selectedArgs(f)...)
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

// likeText escapes what has a meaning in a pattern of LIKE.
var likeText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// selectedArgs are the arguments of selected from $5 on.
func selectedArgs(f shipments.Filter) []any {
	bound := func(t *time.Time, up time.Duration) any {
		if t == nil {
			return ""
		}
		return t.Add(up).UTC().Truncate(time.Millisecond)
	}
	args := []any{
		bound(f.CreatedAfter, 0), bound(f.CreatedBefore, time.Millisecond-1), string(f.CheckResult),
		likeText.Replace(f.Search), bound(f.UpdatedAfter, 0),
	}
	for _, t := range shipments.FilteredTexts {
		args = append(args, t.Of(f.Texts))
	}
	return args
}

// listAfterQuery returns the query of the shipments after one, and its arguments: they are found by the
// key of an index, so that each costs the same however many precede it.
func listAfterQuery(org shipments.OrgID, f shipments.Filter, last *shipments.Shipment, limit int64) (string, []any) {
	key := uuid.Nil
	args := selectedArgs(f)
	if f.CreatedBefore == nil {
		args[1] = "infinity"
	}
	if last != nil {
		key, args[1] = uuid.UUID(last.ID), last.CreatedAt // what precedes it is before CreatedBefore, too
	}
	return `
SELECT coalesce(json_agg(s), '[]') FROM (
	SELECT ` + shipmentColumns + ` FROM shipments
	WHERE organization_id = $1 AND (created_at, id) < ($6, $2)` + selected(f) + `
	ORDER BY created_at DESC, id DESC LIMIT $3
) s`, append([]any{uuid.UUID(org), key, limit, string(f.Status)}, args...)
}

// A list that the counters know never counts or skips an organization's
// shipments one by one. It adds up the counters by month, newest first, and
// finds the month in which the page begins; puts that month's days in its
// place and finds the day; and only within that day skips rows, in an index.
// The total is the sum of the same counters, so one statement, one snapshot and
// one round trip give both.
//
// $1 is the organization, $2 the offset, $3 the limit and $4 the status, or
// anyStatus, but never that for listOfStatusSQL. A page past the end finds no
// month and no day: its bound is null, which no row meets.
var (
	listSQL         = listAfter("")
	listOfStatusSQL = listAfter(ofStatus)

	// The first page, which most requests are for, begins with the newest
	// shipment: only its total needs counters. Its offset is 0.
	listNewestSQL         = listNewest("")
	listNewestOfStatusSQL = listNewest(ofStatus)
)

const ofStatus = ` AND status = $4`

func listNewest(condition string) string {
	return `
SELECT (SELECT coalesce(sum(n), 0)::bigint FROM shipment_months WHERE organization_id = $1 AND status = $4) AS total,
	(SELECT coalesce(json_agg(s), '[]') FROM (
		SELECT ` + shipmentColumns + ` FROM shipments WHERE organization_id = $1` + condition + `
		ORDER BY created_at DESC, id DESC OFFSET $2 LIMIT $3
	) s) AS elements`
}

func listAfter(condition string) string {
	return `
WITH months AS MATERIALIZED (
	SELECT month, sum(n)::bigint AS n
	FROM shipment_months
	WHERE organization_id = $1 AND status = $4
	GROUP BY month
),
first_month AS MATERIALIZED (
	SELECT month
	FROM (SELECT month, n, sum(n) OVER (ORDER BY month DESC)::bigint - n AS skipped FROM months) running
	WHERE skipped <= $2 AND $2 < skipped + n
),
days AS MATERIALIZED (
	SELECT day, sum(n)::bigint AS n
	FROM shipment_counts
	WHERE organization_id = $1 AND status = $4
		AND day >= (SELECT month FROM first_month) AND day < (SELECT (month + interval '1 month')::date FROM first_month)
	GROUP BY day
	UNION ALL
	SELECT month, n FROM months WHERE month IS DISTINCT FROM (SELECT month FROM first_month)
),
first_day AS MATERIALIZED (
	SELECT (day + 1)::timestamp AT TIME ZONE 'UTC' AS before, $2 - skipped AS offset_in_day
	FROM (SELECT day, n, sum(n) OVER (ORDER BY day DESC)::bigint - n AS skipped FROM days) running
	WHERE skipped <= $2 AND $2 < skipped + n
),
page AS MATERIALIZED (
	SELECT created_at, id
	FROM shipments
	WHERE organization_id = $1 AND created_at < (SELECT before FROM first_day)` + condition + `
	ORDER BY created_at DESC, id DESC
	OFFSET (SELECT offset_in_day FROM first_day) LIMIT 100
)
SELECT (SELECT coalesce(sum(n), 0)::bigint FROM days) AS total,` + listPage
}

// The plan serves every $3. Of a page whose length it does not know it expects a tenth of the table, and would read
// all shipments to join them: so page has the 100 rows that a page may have.
var listPage = `
	(SELECT coalesce(json_agg(s ORDER BY s.created_at DESC, s.id DESC), '[]')
	FROM (SELECT * FROM page ORDER BY created_at DESC, id DESC LIMIT $3) page
	CROSS JOIN LATERAL (SELECT ` + shipmentColumns + ` FROM shipments WHERE organization_id = $1 AND id = page.id) s
	) AS elements`

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
func matches(t shipments.Text, parameter int) string {
	if t.Filter == shipments.Prefix {
		return fmt.Sprintf("%[1]s_lower >= lower($%[2]d::text) AND %[1]s_lower < lower($%[2]d::text) || chr(1114111)",
			t.Name, parameter)
	}
	return fmt.Sprintf("%s = $%d", t.Name, parameter)
}

// selected is the condition of shipments of the status $4, created after $5, with the check result $7, found by the
// search $8, updated after $9, whose FilteredTexts match $10 and following.
func selected(f shipments.Filter) string {
	conditions := []string{
		when(f.CreatedAfter != nil, 5, "created_at > $5"), when(f.Status != anyStatus, 4, "status = $4"),
		when(f.CheckResult != "", 7, "$7 = ANY (check_results)"),
		when(f.Search != "", 8, fmt.Sprintf("id IN (SELECT search_shipments($8, %d))", shipments.MaxMatches)),
		when(f.UpdatedAfter != nil, 9, "updated_at > $9"),
	}
	for i, t := range shipments.FilteredTexts {
		conditions = append(conditions, when(t.Of(f.Texts) != "", 10+i, matches(t, 10+i)))
	}
	return strings.Join(conditions, "")
}

// listSelected lists selected shipments that were created before $6. It counts
// and skips them in an index that holds only those.
func listSelected(f shipments.Filter) string {
	once := "NOT"
	if f.Search != "" || f.UpdatedAfter != nil { // what is found is little, by an index of another order
		once = ""
	}
	return `
WITH selected AS ` + once + ` MATERIALIZED (
	SELECT created_at, id
	FROM shipments
	WHERE organization_id = $1` + when(f.CreatedBefore != nil, 6, "created_at < $6") + selected(f) + `
),
page AS MATERIALIZED (
	SELECT created_at, id FROM selected
	ORDER BY created_at DESC, id DESC
	OFFSET $2 LIMIT 100
)
SELECT (SELECT count(*) FROM selected) AS total,` + listPage
}
