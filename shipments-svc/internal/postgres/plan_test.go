package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// fill gives an organization n shipments over days days, with their counters
// and, for every hundredth, a pallet. Every one has a check that passed, every
// tenth one with a warning, every hundredth one that failed and every
// thousandth one that was skipped. A reference is that of four.
func fill(tb testing.TB, db *sqlx.DB, org uuid.UUID, n, days int) {
	tb.Helper()
	exec(tb, db, `SET statement_timeout = 0`) // this pool has one connection
	exec(tb, db, `
		INSERT INTO shipments (organization_id, id, version, status, reference, vessel, origin, destination,
			pallets_count, check_results, created_at, updated_at, approved_at)
		SELECT $1, gen_random_uuid(), 1, status, 'PO-' || i / 4, 'MSC Carmen', 'Cape Town', 'Rotterdam', 0,
			(ARRAY['pass', 'warn', 'fail', 'skip'])[:1 + (i % 10 = 0)::int + (i % 100 = 0)::int + (i % 1000 = 0)::int],
			at, at, CASE WHEN status = 'approved' THEN at END
		FROM (
			SELECT i, timestamptz '2026-11-20 23:59:59.999Z'
					- (i::bigint * $3 * 86400000 / $2) * interval '1 millisecond' AS at,
				(ARRAY['pending', 'processing', 'ready_for_review', 'approved', 'rejected'])[1 + i % 5] AS status
			FROM generate_series(0, $2 - 1) i
		) made`, org, n, days)
	exec(tb, db, `
		INSERT INTO shipment_counts (organization_id, status, day, shard, n)
		SELECT organization_id, coalesce(status, ''), day, shard, count(*)
		FROM (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day, get_byte(uuid_send(id), 15) % 8 AS shard FROM
			shipments) s
		WHERE organization_id = $1 GROUP BY organization_id, day, shard, ROLLUP (status)`, org)
	exec(tb, db, `
		INSERT INTO pallets (organization_id, shipment_id, position, pallet_number, produce_name, calibre, boxes,
			box_weight_g, sscc)
		SELECT organization_id, id, 1, 'P1', 'Avocado Hass', '18', 1, 1,
			'1061414' || (random() * 1e11)::bigint
		FROM shipments WHERE organization_id = $1 AND get_byte(uuid_send(id), 0) < 3`, org)
	exec(tb, db, `
		INSERT INTO shipment_history SELECT organization_id, id, version, created_at, 'tok_4fZyo82mVyR1', '',
			'create', status
		FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO decision_counts SELECT $1, date '2026-11-20' - d, 'approve', shard, 1
		FROM generate_series(0, 99) d, generate_series(0, 7) shard`, org)
	exec(tb, db, `
		INSERT INTO documents (organization_id, shipment_id, id, type, status, sha256, rows_read, pallets_extracted,
			declared, created_at, processed_at)
		SELECT organization_id, id, gen_random_uuid(), 'packing_list', 'processed', sha256(uuid_send(id)), 1, 1, '{}',
			created_at, created_at
		FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO jobs SELECT organization_id, shipment_id, id, 1, 0, created_at FROM documents
		WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO idempotency_keys SELECT organization_id, 'POST /', id::text, created_at, '', ''
		FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO outbox (organization_id, id, type, at, subject) SELECT organization_id, id, 'shipment.created',
			created_at, '{}'
		FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO events SELECT organization_id, row_number() OVER (), id, 'shipment.created', created_at,
			created_at, '{}'
		FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO webhook_endpoints SELECT $1, gen_random_uuid(), '', '', '{}', 'enabled', '', '', NULL, NULL, now(),
			now(), now()
		FROM generate_series(1, 5)`, org)
	exec(tb, db, `
		INSERT INTO webhook_deliveries (organization_id, endpoint_id, event_id, event_number, status, due_at,
			created_at)
		SELECT $1, (SELECT id FROM webhook_endpoints WHERE organization_id = $1 LIMIT 1), id, number,
			CASE WHEN number % 100 = 0 THEN 'pending' ELSE 'delivered' END, CASE WHEN number % 100 = 0 THEN at END, at
		FROM events WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO mapping_templates SELECT $1, gen_random_uuid(), 'n', 'f' || n, '', '[]', now(), now()
		FROM generate_series(1, 200) n`, org)
	exec(tb, db, `INSERT INTO event_heads VALUES ($1, $2)`, org, n)
	exec(tb, db, `
		INSERT INTO activity SELECT organization_id, id, created_at, '', '', 'delete_shipment', id, reference FROM shipments
		WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO shipment_comments SELECT organization_id, id, id, created_at, '', '', '' FROM shipments
		WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO unknown_files SELECT organization_id, id, now() FROM shipments WHERE organization_id = $1`, org)
	exec(tb, db, `
		INSERT INTO checks SELECT organization_id, id, nth, 'required_fields', result, 'fine'
		FROM shipments, unnest(check_results) WITH ORDINALITY r (result, nth) WHERE organization_id = $1`, org)
}

// oneConn returns a pool of a single connection, so that settings stay.
func oneConn(tb testing.TB, dsn string) *sqlx.DB {
	tb.Helper()
	db, err := sqlx.Open("postgres", postgrestest.Direct(dsn))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// planned is a statement with arguments, and as whom it is run.
type planned struct {
	role string
	text string
	args []any
}

// plannedQueries returns every statement of the package, by its name, but those of
// lists, which listQuery chooses.
func plannedQueries(org uuid.UUID) map[string]planned {
	const none = `[]`
	id := uuid.New()
	all := map[string]planned{
		"lock":                     {tenantRole, "", []any{org, "name"}},
		"try_lock":                 {tenantRole, "", []any{org, "name"}},
		"missing_migrations":       {tenantRole, "", []any{"{migrations/1_a.sql}"}},
		"read_shipment":            {tenantRole, "", []any{org, id, 1000, 1000, id}},
		"read_pallet_lines":        {tenantRole, "", []any{org, id, 0, 100}},
		"create_shipment":          {tenantRole, "", []any{org, "{}", none, "tok_1", "Anna"}},
		"read_head":                {tenantRole, "", []any{org, id}},
		"read_versions":            {tenantRole, "", []any{org, "{" + id.String() + "}"}},
		"delete_shipment":          {tenantRole, "", []any{org, id, "pending", 1, none, id, "2026-11-20", "usr_1", "Anna"}},
		"read_overview":            {tenantRole, "", []any{org, 6, "2026-09-07", 1000}},
		"read_tallies":             {tenantRole, "", []any{org, "{" + id.String() + "}"}},
		"read_documents":           {tenantRole, "", []any{org, id}},
		"read_document":            {tenantRole, "", []any{org, id, id}},
		"replace_document_content": {tenantRole, "", []any{org, id, id, none}},
		"read_templates":           {tenantRole, "", []any{org, "{5c1f}"}},
		"put_template": {
			tenantRole, "",
			[]any{org, id, "n", "5c1f", "", none, "2026-11-20", "2026-11-20", 200},
		},
		"delete_template":     {tenantRole, "", []any{org, id}},
		"update_shipment":     {tenantRole, "", []any{org, id, "pending", 1, "{}", none}},
		"put_document":        {tenantRole, "", []any{org, id, "{}"}},
		"find_unneeded_files": {tenantRole, "", []any{org, "{" + id.String() + "}", "2026-11-20", "2026-11-20"}},
		"longest_waiting_job": {dispatcherRole, "", nil},
		"put_job":             {tenantRole, "", []any{org, id, id, 1}},
		"end_job":             {tenantRole, "", []any{org, id, id, 1, id}},
		"lease_job":           {tenantRole, "", []any{org, id, id, 1, id, 15, id}},
		"begin_job":           {tenantRole, "", []any{org, id, id, 1}},
		"claim_job":           {dispatcherRole, "", []any{id, 15, org, "{}"}},
		"delete_document":     {tenantRole, "", []any{org, id, id}},
		"delete_checks":       {tenantRole, "", []any{org, id}},
		"insert_history": {tenantRole, "", []any{
			org, id, 1, "2026-11-20", "usr_1", "Anna", "approve", "approved",
			id, "[]", "", "[]",
		}},
		"find_pallet_uses":    {tenantRole, "", []any{org, id, "{106141412345678908}", "2026-11-20", 100}},
		"read_key":            {tenantRole, "", []any{org, "POST /", "k", "2026-11-20"}},
		"write_key":           {tenantRole, "", []any{org, "POST /", "k", "2026-11-21", []byte{1}, []byte{1}}},
		"expire_keys":         {tenantRole, "", []any{org, "2026-11-20", 200}},
		"announce_events":     {tenantRole, "", []any{org, none}},
		"number_events":       {tenantRole, "", []any{org, 500}},
		"read_events":         {tenantRole, "", []any{org, 1000, 25}},
		"expire_events":       {tenantRole, "", []any{org, "2026-11-20", 200}},
		"insert_activity":     {tenantRole, "", []any{org, id, "2026-11-20", "usr_1", "Anna", "delete", id, "PO-1"}},
		"read_activity":       {tenantRole, "", []any{org, 0, 25}},
		"insert_comment":      {tenantRole, "", []any{org, id, id, "2026-11-20", "usr_1", "Anna", "Looks right.", 200}},
		"read_comments":       {tenantRole, "", []any{org, id}},
		"read_history":        {tenantRole, "", []any{org, id, 0, 25}},
		"insert_pallets":      {tenantRole, "", []any{org, id, 0, none}},
		"insert_checks":       {tenantRole, "", []any{org, id, none}},
		"count_status_change": {tenantRole, "", []any{org, id, "pending", "approved"}},
		"create_endpoint": {
			tenantRole, "", []any{org, id, "u", "d", "{}", []byte{1}, "2026-11-20", 20},
		},
		"read_endpoints": {tenantRole, "", []any{org}},
		"read_endpoint":  {tenantRole, "", []any{org, id}},
		"lock_endpoint":  {tenantRole, "", []any{org, id}},
		"update_endpoint": {
			tenantRole, "",
			[]any{org, id, "u", "d", "{}", "enabled", "", "2026-11-20", nil},
		},
		"rotate_secret":          {tenantRole, "", []any{org, id, []byte{1}, "2026-11-20", "2026-11-20", 8}},
		"delete_endpoint":        {tenantRole, "", []any{org, id}},
		"read_sealed_secrets":    {tenantRole, "", []any{org}},
		"replace_sealed_secrets": {tenantRole, "", []any{org, id, `{"\\x01",""}`, `{"\\x01",""}`}},
		"read_deliveries":        {tenantRole, "", []any{org, id, "failed", uuid.Max, 25}},
		"create_test_delivery":   {tenantRole, "", []any{org, id, id, "2026-11-20"}},
		"replay_events":          {tenantRole, "", []any{org, id, "{" + id.String() + "}", "2026-11-20"}},
		"replay_range":           {tenantRole, "", []any{org, id, 0, 100, 1000, "2026-11-20"}},
		"claim_delivery":         {tenantRole, "", []any{org, id, "2026-11-20", "2026-11-20"}},
		"finish_delivery": {
			tenantRole, "",
			[]any{org, id, id, 1, "delivered", nil, none, 100, "fails", "2026-11-20", "2026-11-20"},
		},
		"abandon_delivery":          {tenantRole, "", []any{org, id, id, 1}},
		"expire_deliveries":         {tenantRole, "", []any{org, "2026-11-20", 200}},
		"endpoints_with_deliveries": {dispatcherRole, "", []any{org, id, "2026-11-20", 100}},
		"count_due_deliveries":      {dispatcherRole, "", []any{"2026-11-20"}},
		"organizations_with_outbox": {dispatcherRole, "", []any{org, 100}},
		"organizations_to_visit":    {dispatcherRole, "", []any{org, 100}},
	}
	for name, q := range all {
		q.text = query(name).text
		all[name] = q
	}
	return all
}

// TestEveryQueryFindsItsRowsByOrganization plans each query on tables of many
// organizations, as the role that runs it. A sequential scan, or an index scan
// whose condition lacks the organization, would read other tenants' rows.
func TestEveryQueryFindsItsRowsByOrganization(t *testing.T) {
	t.Parallel()
	db := oneConn(t, pgtestDSN(t))
	var org uuid.UUID
	for range 20 {
		org = uuid.UUID(NewOrg())
		fill(t, db, org, 2000, 100)
	}
	exec(t, db, `
		INSERT INTO webhook_endpoints SELECT gen_random_uuid(), gen_random_uuid(), '', '', '{}', 'enabled', '', '',
			NULL,
			NULL, now(), now(), now()
		FROM generate_series(1, 1000)`)
	exec(t, db, `INSERT INTO event_heads SELECT gen_random_uuid(), 1 FROM generate_series(1, 1000)`)
	exec(t, db, `ANALYZE`)
	all := plannedQueries(org)
	for name, f := range filters() {
		last := shipments.Shipment{CreatedAt: time.Now()}
		list, args := listAfterQuery(shipments.OrgID(org), f, &last, 1000)
		all["export: "+name] = planned{tenantRole, list.text, args}
		for _, offset := range []int64{0, 1500} {
			list, args := listQuery(shipments.OrgID(org), f, offset, 25)
			all[fmt.Sprintf("list: %s, after %d", name, offset)] = planned{tenantRole, list.text, args}
		}
	}
	for _, by := range shipments.Sorts {
		sort := shipments.Sort{By: by}
		list, args := sortedQuery(shipments.OrgID(org), shipments.Filter{Status: shipments.Approved}, sort, 0, 25)
		all["sorted by "+by] = planned{tenantRole, list.text, args}
	}
	exec(t, db, `SELECT set_config('quayside.organization', $1, false)`, org.String())
	for name, q := range all {
		exec(t, db, `SET ROLE `+q.role)
		explain(t, db, q.text, q.args).check(t, name)
		generic := explainGeneric(t, db, q.text, q.args)
		generic.check(t, name)
		generic.checkFilters(t, name)
	}
}

// TestEveryQueryIsPlanned: each file of queries is among those that the test above plans.
func TestEveryQueryIsPlanned(t *testing.T) {
	t.Parallel()
	all := plannedQueries(uuid.UUID{})
	for name := range statements {
		if _, ok := all[name]; !ok && !strings.HasPrefix(name, "list_") {
			t.Errorf("%s is not planned", name)
		}
	}
}

// TestPalletsAreNotComparedWithEachSSCC even if all have the same, as after the
// same packing list was uploaded again and again.
func TestPalletsAreNotComparedWithEachSSCC(t *testing.T) {
	t.Parallel()
	db := oneConn(t, pgtestDSN(t))
	org := uuid.UUID(NewOrg())
	fill(t, db, org, 20_000, 100)
	exec(t, db, `
		INSERT INTO pallets (organization_id, shipment_id, position, pallet_number, produce_name, calibre, boxes,
			box_weight_g)
		SELECT organization_id, id, 2, 'P2', 'Avocado Hass', '18', 1, 1 FROM shipments`)
	exec(t, db, `UPDATE pallets SET sscc = '106141412345678908'`)
	exec(t, db, `VACUUM ANALYZE`)
	q := plannedQueries(org)["find_pallet_uses"]
	explainGeneric(t, db, q.text, q.args).checkFilters(t, "find_pallet_uses")
}

// TestIndexesServeTheOrderOfLists: a page of a check result or of an equal text is
// read from an index that holds those alone, in order, and not sorted; one of a prefix or of changes is found by one.
func TestIndexesServeTheOrderOfLists(t *testing.T) {
	t.Parallel()
	db := oneConn(t, pgtestDSN(t))
	org := NewOrg()
	fill(t, db, uuid.UUID(org), 20_000, 100)
	exec(t, db, `VACUUM ANALYZE`)
	exec(t, db, `SET enable_sort = off`)
	exec(t, db, `SET enable_bitmapscan = off`)
	for _, result := range shipments.Results {
		list, args := listQuery(org, shipments.Filter{CheckResult: result}, 10, 25)
		index := "shipments_newest_with_" + string(result)
		page := explainGeneric(t, db, list.text, args).find("Limit") // parameters do not choose a partial index
		if page == nil || page.find(index) == nil || page.find("Sort") != nil {
			t.Errorf("%s: the page is %+v, want it of %s", result, page, index)
		}
	}
	for _, text := range shipments.FilterFields {
		var f shipments.Filter
		text.Set(&f.Texts, "none")
		list, args := listQuery(org, f, 10, 25)
		found := explain(t, db, list.text, args)
		if page := found.find("Limit"); text.Filter == shipments.Equal && (page == nil || len(page.Plans) != 1 ||
			!strings.Contains(page.Plans[0].IndexCond, text.Name+" = ")) {
			t.Errorf("%s: the page is %+v, want it in the order of an index", text.Name, page)
		}
		if text.Filter == shipments.Prefix && !found.searches(text.Name+"_lower >= ") {
			t.Errorf("%s: no index of %[1]s_lower is searched: %+v", text.Name, found)
		}
	}
	for _, by := range shipments.Sorts {
		for _, reverse := range []bool{false, true} {
			list, args := sortedQuery(org, shipments.Filter{}, shipments.Sort{By: by, Reverse: reverse}, 10, 25)
			if found := explain(t, db, list.text, args); found.find("Sort") != nil {
				t.Errorf("%s, %t: %+v, want it in the order of an index", by, reverse, found)
			}
		}
	}
	exec(t, db, `RESET enable_sort; RESET enable_bitmapscan`)
	overview := plannedQueries(uuid.UUID(org))["read_overview"]
	for _, index := range []string{"shipments_failing", "shipment_history_people", "decision_counts_pkey"} {
		if explainGeneric(t, db, overview.text, overview.args).find(index) == nil {
			t.Errorf("the overview does not use %s", index)
		}
	}
	for _, status := range []shipments.Status{"", shipments.Approved} {
		list, args := listQuery(org, shipments.Filter{UpdatedAfter: &Noon, Status: status}, 10, 25)
		found := explainGeneric(t, db, list.text, args).find("shipments_updated")
		if found == nil || !strings.Contains(found.IndexCond, "updated_at > ") {
			t.Errorf("status %q: %+v", status, found)
		}
	}
}

// TestListReadsTheDayCountersOfOneMonth, and none after it: under row-level security
// only leakproof comparisons use an index.
func TestListReadsTheDayCountersOfOneMonth(t *testing.T) {
	t.Parallel()
	db := oneConn(t, pgtestDSN(t))
	org := NewOrg()
	fill(t, db, uuid.UUID(org), 2000, 700)
	exec(t, db, `VACUUM ANALYZE`)
	exec(t, db, `SET ROLE `+tenantRole)
	exec(t, db, fmt.Sprintf(`SET quayside.organization = '%s'`, uuid.UUID(org)))
	for _, status := range []shipments.Status{"", shipments.Approved} {
		list, args := listQuery(org, shipments.Filter{Status: status}, 300, 25)
		days := explain(t, db, list.text, args).find("shipment_counts_pkey")
		if days == nil || !strings.Contains(days.IndexCond, "day >= ") || !strings.Contains(days.IndexCond, "day < ") {
			t.Errorf("status %q: the days are %+v", status, days)
		}
	}
}

// filters returns every combination of filters, with each check result and
// references that are there and are not.
func filters() map[string]shipments.Filter {
	after, before := Noon.AddDate(0, 0, -40), Noon.AddDate(0, 0, -5)
	all := map[string]shipments.Filter{
		"a search": {Search: "carm"}, "a search of a status": {Search: "carm", Status: shipments.Approved},
		"a change": {UpdatedAfter: &after}, "a change of a status": {UpdatedAfter: &after, Status: shipments.Approved},
	}
	for _, text := range shipments.FilterFields {
		for _, value := range []string{"msc c", "Rotterdam", "none"} {
			var f shipments.Filter
			text.Set(&f.Texts, value)
			all[text.Name+" "+value] = f
		}
	}
	for _, status := range []shipments.Status{"", shipments.Approved} {
		for _, reference := range []string{"", "PO-100", "none"} {
			for _, result := range append([]shipments.Result{""}, shipments.Results...) {
				for _, created := range [][2]*time.Time{
					{}, {&after, nil}, {nil, &before}, {&after, &before}, {&before, &after},
				} {
					f := shipments.Filter{
						Status: status, Texts: shipments.Draft{Reference: reference}, CheckResult: result,
						CreatedAfter: created[0], CreatedBefore: created[1],
					}
					all[fmt.Sprint(status, " ", reference, " ", result, " ", created[0], " ", created[1])] = f
				}
			}
		}
	}
	return all
}
