package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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
	listSQL         = listMonths + listFirstDay + listRows
	listOfStatusSQL = listMonths + listFirstDay + ` AND status = $4` + listRows

	listMonths = `
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
)`

	listFirstDay = `,
first_day AS MATERIALIZED (
	SELECT (day + 1)::timestamp AT TIME ZONE 'UTC' AS before, $2 - skipped AS offset_in_day
	FROM (SELECT day, n, sum(n) OVER (ORDER BY day DESC)::bigint - n AS skipped FROM days) running
	WHERE skipped <= $2 AND $2 < skipped + n
),
page AS MATERIALIZED (
	SELECT created_at, id
	FROM shipments
	WHERE organization_id = $1 AND created_at < (SELECT before FROM first_day)`

	listRows = `
	ORDER BY created_at DESC, id DESC
	OFFSET (SELECT offset_in_day FROM first_day) LIMIT $3
)` + listShown + `(SELECT coalesce(sum(n), 0)::bigint AS n FROM days) total` + listJoined

	listShown = `
SELECT total.n AS total, row_to_json(s) AS shipment
FROM `

	listJoined = `
LEFT JOIN page ON true
LEFT JOIN LATERAL (SELECT ` + shipmentColumns + ` FROM shipments WHERE organization_id = $1 AND id = page.id) s ON true
ORDER BY page.created_at DESC, page.id DESC`
)

// In the conditions below a parameter may say that it does not matter. The
// planner knows parameters of statements without a name, so it plans as if
// such a condition were not there.
const ofStatus = ` AND ($4 = '' OR status = $4)`

// listCreatedSQL lists shipments created after $5 and before $6, either of
// which may be infinite. The counters count the whole days between, and an
// index the days in which the two lie; where that is one day, the first of
// these counts has all of it and the second nothing.
var listCreatedSQL = `
WITH edges AS MATERIALIZED (
	SELECT ($5::timestamptz AT TIME ZONE 'UTC')::date AS first, ($6::timestamptz AT TIME ZONE 'UTC')::date AS last
),
starts AS MATERIALIZED (
	SELECT (first + 1)::timestamp AT TIME ZONE 'UTC' AS second, last::timestamp AT TIME ZONE 'UTC' AS last FROM edges
),
days AS MATERIALIZED (
	SELECT day, sum(n)::bigint AS n
	FROM shipment_counts
	WHERE organization_id = $1 AND status = $4
		AND day > (SELECT first FROM edges) AND day < (SELECT last FROM edges)
	GROUP BY day
	UNION ALL
	SELECT (SELECT first FROM edges), count(*)
	FROM shipments
	WHERE organization_id = $1` + ofStatus + `
		AND created_at > $5 AND created_at < least($6, (SELECT second FROM starts))
	UNION ALL
	SELECT (SELECT last FROM edges), count(*)
	FROM shipments
	WHERE organization_id = $1` + ofStatus + `
		AND created_at >= (SELECT greatest(second, last) FROM starts) AND created_at < $6
)` + listFirstDay + ofStatus + `
		AND created_at > $5 AND created_at < $6` + listRows

// listSelectedSQL lists shipments as listCreatedSQL does, with the check result
// $7 and the texts from $8 on. It counts and skips them in an index that holds
// only those.
var listSelectedSQL = `
WITH selected AS NOT MATERIALIZED (
	SELECT created_at, id
	FROM shipments
	WHERE organization_id = $1` + ofStatus + `
		AND created_at > $5 AND created_at < $6
		AND ($7 = '' OR $7 = ANY (check_results))` + ofTexts() + `
),
page AS MATERIALIZED (
	SELECT created_at, id FROM selected
	ORDER BY created_at DESC, id DESC
	OFFSET $2 LIMIT $3
)` + listShown + `(SELECT count(*) AS n FROM selected) total` + listJoined

// filterTexts are the texts by which lists are filtered.
var filterTexts = slices.DeleteFunc(slices.Clone(shipments.Texts), func(t shipments.Text) bool { return !t.Filter })

// ofTexts returns the conditions of the texts from $8 on, in the order of
// filterTexts.
func ofTexts() string {
	var conditions strings.Builder
	for i, t := range filterTexts {
		fmt.Fprintf(&conditions, " AND ($%[1]d = '' OR %[2]s = $%[1]d)", 8+i, t.Name)
	}
	return conditions.String()
}
