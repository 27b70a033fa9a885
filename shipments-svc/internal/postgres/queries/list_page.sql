-- A page of a list without further filters, by $4, a status or '' for any. $2 is the offset and $3 the limit.
-- It never counts or skips an organization's shipments one by one. It adds up the counters by month, newest first, and
-- finds the month in which the page begins; puts that month's days in its place and finds the day; and only within that
-- day skips rows, in an index. The total is the sum of the same counters, so one statement, one snapshot and one round
-- trip give both. A page past the end finds no month and no day: its bound is null, which no row meets.
-- The plan serves every $3. Of a page whose length it does not know it expects a tenth of the table, and would read all
-- shipments to join them: so page has the 100 rows that a page may have.
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
	WHERE organization_id = $1 AND created_at < (SELECT before FROM first_day){conditions}
	ORDER BY created_at DESC, id DESC
	OFFSET (SELECT offset_in_day FROM first_day) LIMIT 100
)
SELECT (SELECT coalesce(sum(n), 0)::bigint FROM days) AS total, (
	SELECT coalesce(json_agg(s ORDER BY s.created_at DESC, s.id DESC), '[]')
	FROM (SELECT * FROM page ORDER BY created_at DESC, id DESC LIMIT $3) page
	CROSS JOIN LATERAL (SELECT {shipment_columns} FROM shipments WHERE organization_id = $1 AND id = page.id) s
) AS elements
