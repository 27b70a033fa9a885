-- Finds organizations after $1 that have events without a number, at most $2, by one step in the index each.
WITH RECURSIVE found (organization_id, n) AS (
	(SELECT organization_id, 1 FROM outbox WHERE organization_id > $1 ORDER BY organization_id LIMIT 1)
	UNION ALL
	SELECT further.organization_id, n + 1
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id FROM outbox o WHERE o.organization_id > found.organization_id
		ORDER BY organization_id LIMIT 1
	) further
	WHERE n < $2
)
SELECT coalesce(json_agg(organization_id ORDER BY n), '[]') FROM found
