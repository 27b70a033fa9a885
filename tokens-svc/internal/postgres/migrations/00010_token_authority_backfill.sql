-- +goose Up

-- A migration of its own: it locks rows, and not the table.
WITH RECURSIVE chain (id, lineage) AS (
    SELECT id, id FROM api_tokens WHERE rotated_from IS NULL
    UNION ALL
    SELECT t.id, c.lineage FROM api_tokens t JOIN chain c ON t.rotated_from = c.id
),
owned (id, owner_id) AS (
    SELECT id, CASE created_by_kind WHEN 'user' THEN created_by_id ELSE '' END FROM api_tokens WHERE created_by_kind <> 'token'
    UNION ALL
    SELECT t.id, o.owner_id FROM api_tokens t JOIN owned o ON t.created_by_id = o.id WHERE t.created_by_kind = 'token'
)
UPDATE api_tokens t SET lineage = chain.lineage, owner_id = coalesce(owned.owner_id, '')
FROM chain LEFT JOIN owned ON owned.id = chain.id
WHERE t.id = chain.id AND t.lineage = '';

-- +goose Down
SELECT 1;
