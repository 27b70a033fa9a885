package main

import (
	"context"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

var digits = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// postgresID returns the UUID of an identifier, a prefix and 26 digits of
// Crockford's base32: 130 bits, of which the first two are zero.
func postgresID(id string) (string, error) {
	_, text, _ := strings.Cut(id, "_")
	raw, err := digits.DecodeString("000000" + text) // 20 whole bytes, of which 4 are zero
	if err != nil || len(raw) != 20 {
		return "", fmt.Errorf("%q is not an identifier", id)
	}
	return uuid.UUID(raw[4:]).String(), nil
}

// fillSQL gives the organization $1 so many shipments as $2 over two years,
// with their counters and history, as the service would have left them.
var fillSQL = []string{`
INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count, created_at, approved_at)
SELECT $1, gen_random_uuid(), 1, status, 'PO-' || i / 3, 'MSC Carmen', 'Cape Town, South Africa', 'Rotterdam, Netherlands', 0,
	at, CASE WHEN status = 'approved' THEN at END
FROM (
	SELECT i, (ARRAY['pending', 'ready_for_review', 'approved', 'rejected'])[1 + i % 4] AS status,
		now() - interval '1 hour' - interval '730 days' * i / $2::integer AS at
	FROM generate_series(0, $2::integer - 1) i
) made`, `
INSERT INTO shipment_counts (organization_id, status, day, shard, n)
SELECT organization_id, coalesce(status, ''), day, shard, count(*)
FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(id), 15) % 8 AS shard FROM shipments WHERE organization_id = $1) s
WHERE $2::integer > 0 GROUP BY organization_id, day, shard, ROLLUP (status)`, `
INSERT INTO shipment_history (organization_id, shipment_id, version, at, token_id, action, status)
SELECT organization_id, id, version, created_at, 'tok_4fZyo82mVyR1', 'create', status FROM shipments WHERE organization_id = $1 AND $2::integer > 0`}

// fill fills an organization and updates the planner's statistics.
func fill(ctx context.Context, dsn, org string, n int) (err error) {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	for _, statement := range fillSQL {
		if _, err := conn.ExecContext(ctx, statement, org, n); err != nil {
			return fmt.Errorf("fill the large organization: %w", err)
		}
	}
	for _, statement := range []string{`VACUUM ANALYZE`, `CHECKPOINT`} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return conn.Close()
}
