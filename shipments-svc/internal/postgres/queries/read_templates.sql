-- Reads the templates of the fingerprints $2; null: of all.
SELECT coalesce(json_agg(t), '[]') FROM (
	SELECT id, name, fingerprint, number_style, columns, created_at, updated_at FROM mapping_templates
	WHERE organization_id = $1 AND ($2::text[] IS NULL OR fingerprint IN (SELECT unnest($2::text[]))) ORDER BY id
) t
