-- Finds organizations after $1 that have had events, or have webhook endpoints or idempotency keys, at most $2, by
-- one step in each index for each.
WITH RECURSIVE found (organization_id, n) AS (
	SELECT $1::uuid, 0
	UNION ALL
	SELECT least(
		(SELECT organization_id FROM event_heads o WHERE o.organization_id > found.organization_id ORDER BY 1 LIMIT 1),
		(SELECT organization_id FROM webhook_endpoints o WHERE o.organization_id > found.organization_id
			ORDER BY 1 LIMIT 1),
		(SELECT organization_id FROM idempotency_keys o WHERE o.organization_id > found.organization_id
			ORDER BY 1 LIMIT 1)), n + 1
	FROM found
	WHERE n < $2 AND found.organization_id IS NOT NULL
)
SELECT coalesce(json_agg(organization_id ORDER BY n), '[]') FROM found WHERE n > 0 AND organization_id IS NOT NULL
