-- Visits, after the endpoint $2 of the organization $1, up to $4 endpoints that have deliveries to come, by one step
-- in the index each. It returns for each whether one is due at $3, and none if no delivery is due at all.
WITH RECURSIVE found (organization_id, endpoint_id, due_at, n) AS (
	(SELECT organization_id, endpoint_id, due_at, 1 FROM webhook_deliveries
		WHERE due_at IS NOT NULL AND (organization_id, endpoint_id) > ($1, $2)
			AND (SELECT true FROM webhook_deliveries WHERE due_at <= $3 ORDER BY due_at LIMIT 1)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1)
	UNION ALL
	SELECT further.organization_id, further.endpoint_id, further.due_at, n + 1
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id, endpoint_id, due_at FROM webhook_deliveries d
		WHERE due_at IS NOT NULL AND (d.organization_id, d.endpoint_id) > (found.organization_id, found.endpoint_id)
		ORDER BY organization_id, endpoint_id, due_at LIMIT 1
	) further
	WHERE n < $4
)
SELECT coalesce(json_agg(p ORDER BY n), '[]') FROM (
	SELECT n, organization_id, endpoint_id, due_at <= $3 AND (
		SELECT id FROM webhook_endpoints w
		WHERE w.organization_id = found.organization_id AND w.id = found.endpoint_id AND w.status = 'enabled'
	) IS NOT NULL AS due
	FROM found
) p
