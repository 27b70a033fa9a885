-- Visits, after the endpoint $2 of the organization $1, up to $4 endpoints that have deliveries to come, by one step
-- in the index each, and those only that have due ones, while the deliveries that are due at $3 are few. It returns
-- for each whether one is due.
WITH RECURSIVE due AS (
	SELECT organization_id, endpoint_id FROM webhook_deliveries WHERE due_at <= $3 ORDER BY due_at LIMIT 100
), few AS (
	SELECT count(*) < 100 AS yes FROM due
), found (organization_id, endpoint_id, due_at, n) AS (
	((SELECT DISTINCT organization_id, endpoint_id, $3::timestamptz, 0 FROM due
		WHERE (SELECT yes FROM few) AND (organization_id, endpoint_id) > ($1, $2) ORDER BY 1, 2 LIMIT $4)
	UNION ALL
	(SELECT organization_id, endpoint_id, due_at, 1 FROM webhook_deliveries
		WHERE due_at IS NOT NULL AND (organization_id, endpoint_id) > ($1, $2) AND NOT (SELECT yes FROM few)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1))
	UNION ALL
	SELECT further.organization_id, further.endpoint_id, further.due_at, n + 1
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id, endpoint_id, due_at FROM webhook_deliveries d
		WHERE due_at IS NOT NULL AND (d.organization_id, d.endpoint_id) > (found.organization_id, found.endpoint_id)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1
	) further
	WHERE n BETWEEN 1 AND $4 - 1
)
SELECT coalesce(json_agg(p ORDER BY organization_id, endpoint_id), '[]') FROM (
	SELECT organization_id, endpoint_id, due_at <= $3 AND (
		SELECT id FROM webhook_endpoints w
		WHERE w.organization_id = found.organization_id AND w.id = found.endpoint_id AND w.status = 'enabled'
	) IS NOT NULL AS due
	FROM found
) p
