//go:build linux

package main

import (
	"context"
	"database/sql"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	_ "github.com/lib/pq" // database/sql's "postgres"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// How many shipments the organizations have whose lists are compared.
const (
	large  = 1_000_000
	medium = 100_000
	small  = 1000
)

// lists are the lists that are compared: queries of an organization with n shipments. Filters find as many in each.
var lists = []struct {
	name  string
	query func(n int) string
}{
	{"first page", always("")},
	{"first page of approved", always("status=approved")},
	{"first page of pending", always("status=pending")},
	{"page in the middle", func(n int) string { return fmt.Sprintf("page=%d", n/50) }},
	{"last page", func(n int) string { return fmt.Sprintf("page=%d", n/25) }},
	{"a reference", always("reference=PO-7")},
	{"a search", always("q=rare")},
	{"a vessel", always("vessel=MSC+Rare")},
	{"a check's result", always("check_result=fail")},
	{"updated since", always("updated_after=2999-01-01T00:00:00Z")},
}

func always(query string) func(int) string { return func(int) string { return query } }

// compareScale measures lists of large organizations beside the same of a small one, through the whole product.
func compareScale(ctx context.Context, s settings, facts string) (err error) {
	stack, stop, err := startStack(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	sides := map[int][]side{}
	for _, n := range []int{large, medium, small} {
		id, tokens, err := newOrganization(ctx, stack, 100)
		if err != nil {
			return err
		}
		if err := fill(ctx, stack.DSN("shipments"), id, n); err != nil {
			return fmt.Errorf("fill an organization: %w", err)
		}
		for _, list := range lists {
			sides[n] = append(sides[n], side{
				fmt.Sprintf("%d shipments", n), stack.Program("gateway").Address, os.Getpid(),
				get(tokens, "/api/v1/shipments?"+list.query(n)), http.StatusOK,
			})
		}
	}
	var kinds []kind
	for _, n := range []int{large, medium} {
		for i, list := range lists {
			kinds = append(kinds, kind{
				name: fmt.Sprintf("%s of %d", list.name, n), cpu: 1.3, ours: sides[n][i], other: sides[small][i],
			})
		}
	}
	return s.compare(ctx, facts, kinds)
}

// newOrganization creates an organization with so many tokens.
func newOrganization(ctx context.Context, stack *devstack.Stack, n int) (id string, tokens []string, err error) {
	if id, err = stack.CreateOrganization(ctx, "Bench"); err != nil {
		return "", nil, err
	}
	tokens, err = stack.CreateTokens(ctx, n, id, "shipments:read", "--limit", "1000000", "--window-seconds", "60")
	return id, tokens, err
}

// fillSQL gives the organization $1 so many shipments as $2 over two years, with their counters, as the service would
// have left them. Nine of ten are approved.
const fillSQL = `
WITH made AS (
	INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination, pallets_count,
		created_at, approved_at)
	SELECT $1::uuid, gen_random_uuid(), 1, status, 'PO-' || i / 3,
		CASE WHEN i % ($2::integer / 5) = 0 THEN 'MSC Rare' ELSE 'MSC Carmen' END, 'Cape Town, South Africa',
		'Rotterdam, Netherlands', 0, at, CASE WHEN status = 'approved' THEN at END
	FROM (
		SELECT i, CASE WHEN i % 10 > 0 THEN 'approved'
				ELSE (ARRAY['pending', 'ready_for_review', 'rejected'])[1 + i / 10 % 3] END AS status,
			now() - interval '1 day' - interval '730 days' * i / $2::integer AS at
		FROM generate_series(0, $2::integer - 1) i
	) numbered
	RETURNING organization_id, status, (created_at AT TIME ZONE 'UTC')::date AS day,
		get_byte(uuid_send(id), 15) % 8 AS shard
)
INSERT INTO shipment_counts AS c (organization_id, status, day, shard, n)
SELECT organization_id, coalesce(status, ''), day, shard, count(*)
FROM made GROUP BY organization_id, day, shard, ROLLUP (status)`

// crockford is the alphabet of identifiers: 26 characters are a UUID.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// fill fills an organization and updates the planner's statistics.
func fill(ctx context.Context, dsn, id string, n int) (err error) {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	organization, err := crockford.DecodeString("000000" + strings.TrimPrefix(id, "org_"))
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, fillSQL, hex.EncodeToString(organization[4:]), n); err != nil {
		return err
	}
	// The trigger updated each month's counters once for each day: without this, lists read the pages of dead versions.
	_, fullErr := db.ExecContext(ctx, `VACUUM FULL shipment_counts, shipment_months`)
	_, err = db.ExecContext(ctx, `VACUUM ANALYZE`)
	return errors.Join(fullErr, err)
}
