-- Adds reports of gateways. It takes the rows of each table in one order, so that reports of several gateways cannot wait
-- for each other in a circle. It locks no row of api_tokens.
WITH reported AS MATERIALIZED (
    SELECT t.id, t.organization_id, u.*
    FROM json_to_recordset($1) AS u (token text, count bigint, refused bigint, last_used_at timestamptz, address text,
        results bigint[], errors jsonb)
    JOIN api_tokens t ON t.id = u.token COLLATE "C"
), counted AS (
    INSERT INTO token_usage AS known (token_id, hour, requests, refused, last_used_at, address,
        unauthorized, forbidden, limited, rejected, failed)
    SELECT coalesce(id, organization_id), date_trunc('hour', last_used_at, 'UTC'), sum(count), sum(refused),
        max(last_used_at), nullif((array_agg(address ORDER BY last_used_at DESC))[1], '')::inet,
        sum(results[1]), sum(results[2]), sum(results[3]), sum(results[5]), sum(results[6])
    FROM reported
    GROUP BY GROUPING SETS ((id, 2), (organization_id, 2)) ORDER BY 1, 2
    ON CONFLICT (token_id, hour) DO UPDATE SET
        requests = known.requests + excluded.requests,
        refused = known.refused + excluded.refused,
        unauthorized = known.unauthorized + excluded.unauthorized,
        forbidden = known.forbidden + excluded.forbidden,
        limited = known.limited + excluded.limited,
        rejected = known.rejected + excluded.rejected,
        failed = known.failed + excluded.failed,
        last_used_at = greatest(known.last_used_at, excluded.last_used_at),
        address = CASE WHEN excluded.last_used_at >= known.last_used_at THEN excluded.address ELSE known.address END
)
INSERT INTO token_errors AS known (token_id, errors, last_at)
SELECT id, jsonb_agg(error ORDER BY at DESC), max(at)
FROM (
    SELECT id, error, at, row_number() OVER (PARTITION BY id ORDER BY at DESC) AS place
    FROM reported, jsonb_array_elements(errors) error, timestamptz(error ->> 'at') at
) newest
WHERE place <= $2
GROUP BY id ORDER BY id
ON CONFLICT (token_id) DO UPDATE SET
    errors = (
        SELECT jsonb_agg(error ORDER BY timestamptz(error ->> 'at') DESC)
        FROM (
            SELECT error FROM jsonb_array_elements(known.errors || excluded.errors) error
            ORDER BY timestamptz(error ->> 'at') DESC LIMIT $2
        ) newest
    ),
    last_at = greatest(known.last_at, excluded.last_at)
