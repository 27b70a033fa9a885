-- Marks those of the files $2 that no document has at $3, if documents have others of them. It returns those that
-- were marked before $4, whose marks it removes, as it does of files that have a document again.
WITH known AS MATERIALIZED (
	SELECT id FROM documents WHERE organization_id = $1 AND id = ANY ($2::uuid[])
), marked AS (
	INSERT INTO unknown_files
	SELECT $1, id, $3 FROM unnest($2::uuid[]) id WHERE id NOT IN (SELECT id FROM known) AND EXISTS (SELECT FROM known)
	ON CONFLICT DO NOTHING
), ended AS (
	DELETE FROM unknown_files
	WHERE organization_id = $1 AND document_id IN (SELECT unnest($2::uuid[])) AND EXISTS (SELECT FROM known)
		AND (marked_at < $4 OR document_id IN (SELECT id FROM known))
	RETURNING document_id
)
SELECT coalesce(json_agg(document_id ORDER BY document_id), '[]') FROM ended
WHERE document_id NOT IN (SELECT id FROM known)
