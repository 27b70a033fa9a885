-- Stores a template unless there are $9 others; it returns how many it stored.
WITH stored AS (
	INSERT INTO mapping_templates (organization_id, id, name, fingerprint, number_style, columns, created_at, updated_at)
	SELECT $1, $2, $3, $4, $5, $6::jsonb, $7, $8
	WHERE (SELECT count(*) FROM mapping_templates WHERE organization_id = $1 AND fingerprint <> $4) < $9
	ON CONFLICT (organization_id, fingerprint) DO UPDATE
	SET name = excluded.name, number_style = excluded.number_style, columns = excluded.columns,
		updated_at = excluded.updated_at
	RETURNING id
)
SELECT count(*) FROM stored
