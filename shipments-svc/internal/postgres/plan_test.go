package postgres

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// fill gives an organization n shipments over days days, with their counters,
// and a pallet and a check for every hundredth.
func fill(tb testing.TB, db *sqlx.DB, org uuid.UUID, n, days int) {
	tb.Helper()
	exec(tb, db, `SET statement_timeout = 0`) // this pool has one connection
	exec(tb, db, `
		INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
			pallets_count, created_at, approved_at)
		SELECT $1, gen_random_uuid(), 1, status, 'PO-' || i, 'MSC Carmen', 'Cape Town', 'Rotterdam', 0, at,
			CASE WHEN status = 'approved' THEN at END
		FROM (
			SELECT i, timestamptz '2026-11-20 23:59:59.999Z' - (i::bigint * $3 * 86400000 / $2) * interval '1 millisecond' AS at,
				(ARRAY['pending', 'processing', 'ready_for_review', 'approved', 'rejected'])[1 + i % 5] AS status
			FROM generate_series(0, $2 - 1) i
		) made`, org, n, days)
	exec(tb, db, `
		INSERT INTO shipment_counts (organization_id, status, day, shard, n)
		SELECT organization_id, coalesce(status, ''), day, shard, count(*)
		FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(id), 15) % 8 AS shard FROM shipments) s
		WHERE organization_id = $1 GROUP BY organization_id, day, shard, ROLLUP (status)`, org)
	exec(tb, db, `
		INSERT INTO pallets SELECT organization_id, id, 1, 'P1', 'Avocado Hass', '18', 1, 1
		FROM shipments WHERE organization_id = $1 AND get_byte(uuid_send(id), 0) < 3`, org)
	exec(tb, db, `
		INSERT INTO checks SELECT organization_id, id, 1, 'required_fields', 'pass', 'fine'
		FROM shipments WHERE organization_id = $1 AND get_byte(uuid_send(id), 0) < 3`, org)
}

// oneConn returns a pool of a single connection, so that settings stay.
func oneConn(tb testing.TB, dsn string) *sqlx.DB {
	tb.Helper()
	db, err := sqlx.Open("postgres", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// TestEveryQueryFindsItsRowsByOrganization plans each query on tables of many
// organizations. A sequential scan, or an index scan whose condition lacks
// the organization, would read other tenants' rows.
func TestEveryQueryFindsItsRowsByOrganization(t *testing.T) {
	t.Parallel()
	db := oneConn(t, pgtestDSN(t))
	var org uuid.UUID
	for range 20 {
		org = uuid.UUID(repotest.Org())
		fill(t, db, org, 2000, 100)
	}
	exec(t, db, `ANALYZE`)
	const some, none = 1500, `[]`
	id := uuid.New()
	for name, q := range map[string]struct {
		query string
		args  []any
	}{
		"ready":           {readySQL, nil},
		"list":            {listSQL, []any{org, some, 25, ""}},
		"list of status":  {listOfStatusSQL, []any{org, some / 5, 25, "approved"}},
		"get":             {getSQL, []any{org, id}},
		"create":          {createSQL, []any{org, id, 1, "pending", "r", "v", "o", "d", 0, "2026-11-20", nil, "2026-11-20", 1}},
		"import":          {importShipmentsSQL, []any{org, none}},
		"import: pallets": {importPalletsSQL, []any{org, none}},
		"import: checks":  {importChecksSQL, []any{org, none}},
		"count":           {countSQL, []any{org, none}},
	} {
		var text string
		if err := db.GetContext(t.Context(), &text, "EXPLAIN (FORMAT JSON) "+q.query, q.args...); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var plans []struct{ Plan plan }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		plans[0].Plan.check(t, name)
	}
}

type plan struct {
	NodeType  string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	IndexName string `json:"Index Name"`
	IndexCond string `json:"Index Cond"`
	Plans     []plan
}

func (p plan) check(t *testing.T, query string) {
	t.Helper()
	if p.NodeType == "Seq Scan" {
		t.Errorf("%s: sequential scan of %s", query, p.Relation)
	}
	if p.IndexName != "" && !strings.Contains(p.IndexCond, "organization_id = ") {
		t.Errorf("%s: %s is searched by %q", query, p.IndexName, p.IndexCond)
	}
	for _, inner := range p.Plans {
		inner.check(t, query)
	}
}
