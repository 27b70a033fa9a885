package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestRowLevelSecurityHoldsWithoutTheConditionOnTheOrganization: with the condition
// removed from its queries, no method sees or changes anything of another
// organization.
func TestRowLevelSecurityHoldsWithoutTheConditionOnTheOrganization(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	db := operator(t, dsn)
	v := newVictim(t, NewRepository(openAt(t, dsn)))
	r, thief := openUnfiltered(t, dsn), NewOrg()
	before := rowsOf(t, db, v.org)
	for _, theft := range thefts() {
		if stolen, err := theft.do(t.Context(), r, thief, v); stolen || err != nil {
			t.Errorf("%s got hold of something: %t (%v)", theft.method, stolen, err)
		}
	}
	if after := rowsOf(t, db, v.org); !slices.Equal(before, after) {
		t.Errorf("%v, want %v", after, before)
	}
}

// TestEveryMethodIsTriedFromAnotherOrganization, but those that work for no organization.
func TestEveryMethodIsTriedFromAnotherOrganization(t *testing.T) {
	t.Parallel()
	tried := []string{
		"Announced",
		"Claim",
		"Daily",
		"Due",
		"JobsWaiting",
		"Locked",
		"On",
		"Overdue",
		"Ready",
		"Waiting",
		"Organizations",
	}
	for _, theft := range thefts() {
		tried = append(tried, theft.method)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[*Repository](), reflect.TypeFor[*Webhooks]()} {
		for method := range of.Methods() {
			if !slices.Contains(tried, method.Name) {
				t.Errorf("%s of %s is not", method.Name, of)
			}
		}
	}
}

// TestQueriesWithoutAnOrganizationReturnNothing: neither outside of a transaction
// nor in one without an organization.
func TestQueriesWithoutAnOrganizationReturnNothing(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	db := openAt(t, dsn)
	newVictim(t, NewRepository(db))
	tx, err := db.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, table := range tables(t, operator(t, dsn)) {
		if table == "shipment_search" { // no role reads it
			continue
		}
		var n int
		if err := tx.GetContext(t.Context(), &n, `SELECT count(*) FROM `+table); err != nil || n != 0 {
			t.Errorf("%d rows of %s (%v)", n, table, err)
		}
		if err := db.GetContext(t.Context(), &n, `SELECT count(*) FROM `+table); !errors.Is(err, postgres.ErrRefused) {
			t.Errorf("%s outside of a transaction: %d rows (%v)", table, n, err)
		}
	}
	if _, err := tx.ExecContext(t.Context(), query("announce_events").text, uuid.New(),
		`[{"id":"01890a5d-ac96-774b-bcce-b302099a8057","type":"x","at":"2026-11-20"}]`); !violates(err) {
		t.Errorf("it announced: %v", err)
	}
}

// TestWritesForAnotherOrganizationAreRejected: a row of another organization is refused, and so
// is a method of another one within a transaction.
func TestWritesForAnotherOrganizationAreRejected(t *testing.T) {
	t.Parallel()
	r, db := newTest(t)
	mine, theirs := NewOrg(), NewOrg()
	err := execute(t.Context(), r.tenant(t.Context(), mine), query("announce_events"), uuid.UUID(theirs),
		`[{"id":"01890a5d-ac96-774b-bcce-b302099a8057","type":"x","at":"2026-11-20"}]`)
	if !violates(err) {
		t.Errorf("it announced: %v", err)
	}
	_, _, err = r.Once(
		t.Context(),
		mine,
		shipments.Key{Text: "k"},
		Noon,
		func(ctx context.Context) ([]byte, error) {
			for name, call := range map[string]func(){
				"Get":    func() { _, _ = r.Get(ctx, theirs, shipments.ID{}, Parts, Whole) },
				"Revise": func() { _ = r.Revise(ctx, theirs, shipments.Revision{}) },
			} {
				if !panics(call) {
					t.Errorf("%s works for another organization", name)
				}
			}
			return []byte("{}"), nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rowsOf(t, db, theirs) {
		t.Errorf("there is %s", row)
	}
}

func panics(call func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	call()
	return false
}

// TestEveryTableOfOrganizationsHasRowLevelSecurity: each with the column, as forced
// row-level security and the tenant's policy, which no other widens.
func TestEveryTableOfOrganizationsHasRowLevelSecurity(t *testing.T) {
	t.Parallel()
	_, db := newTest(t)
	const condition = "(organization_id = " +
		"(NULLIF(current_setting('quayside.organization'::text, true), ''::text))::uuid)"
	for _, table := range tables(t, db) {
		if table == "shipment_search" { // no role reads it
			var readable bool
			if err := db.GetContext(t.Context(), &readable, `
				SELECT bool_or(has_table_privilege(role, 'shipment_search', 'SELECT, INSERT, UPDATE, DELETE'))
				FROM unnest(ARRAY[$1, $2]) role`, tenantRole, dispatcherRole); err != nil || readable {
				t.Errorf("%s: %t (%v)", table, readable, err)
			}
			continue
		}
		var forced bool
		if err := db.GetContext(t.Context(), &forced, `
			SELECT relrowsecurity AND relforcerowsecurity
			FROM pg_class WHERE oid = $1::regclass`, table); err != nil || !forced {
			t.Errorf("%s: row-level security is not forced (%v)", table, err)
		}
		var policies []string
		if err := db.SelectContext(t.Context(), &policies, `
			SELECT concat_ws(' ', roles, cmd, coalesce(qual, 'none'), coalesce(with_check, 'none'))
			FROM pg_policies WHERE tablename = $1 AND 'quayside_dispatcher' <> ALL (roles)`, table); err != nil ||
			!slices.Equal(policies, []string{fmt.Sprintf("{%s} ALL %s %[2]s", tenantRole, condition)}) {
			t.Errorf("%s has the policies %q (%v)", table, policies, err)
		}
	}
}

func TestDatabaseRolesHaveMinimalPrivileges(t *testing.T) {
	t.Parallel()
	_, db := newTest(t)
	var mighty []string
	if err := db.SelectContext(t.Context(), &mighty, `
		SELECT rolname FROM pg_roles r WHERE rolname IN ($1, $2) AND (rolsuper OR rolbypassrls OR rolcanlogin OR
			rolcreaterole OR rolcreatedb
			OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid))`, tenantRole,
		dispatcherRole); err != nil || len(mighty) >
		0 {
		t.Errorf("%v are mightier (%v)", mighty, err)
	}
	var seen []string
	if err := db.SelectContext(t.Context(), &seen, `
		SELECT table_name || '.' || column_name || ' ' || privilege_type FROM information_schema.column_privileges
		WHERE grantee = $1 ORDER BY (table_name || '.' || column_name || ' ' || privilege_type) COLLATE "C"`,
		dispatcherRole); err != nil ||
		!slices.Equal(seen, []string{
			"event_heads.organization_id SELECT", "idempotency_keys.organization_id SELECT",
			"jobs.attempts SELECT", "jobs.attempts UPDATE", "jobs.claimable_at SELECT", "jobs.claimable_at UPDATE",
			"jobs.document_id SELECT",
			"jobs.lease SELECT", "jobs.lease UPDATE", "jobs.organization_id SELECT", "jobs.run SELECT",
			"jobs.shipment_id SELECT", "jobs.turn SELECT",
			"outbox.organization_id SELECT",
			"webhook_deliveries.due_at SELECT", "webhook_deliveries.endpoint_id SELECT",
			"webhook_deliveries.organization_id SELECT",
			"webhook_endpoints.id SELECT", "webhook_endpoints.organization_id SELECT",
			"webhook_endpoints.status SELECT",
		}) {
		t.Errorf("a dispatcher may %q (%v)", seen, err)
	}
}

// tables returns the tables that have rows of organizations.
func tables(t *testing.T, db *sqlx.DB) (names []string) {
	t.Helper()
	if err := db.SelectContext(t.Context(), &names, `
		SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'organization_id' ORDER BY 1`); err != nil || len(names) < 10 {
		t.Fatalf("%v (%v)", names, err)
	}
	return names
}

// rowsOf returns all rows of an organization as text.
func rowsOf(t *testing.T, db *sqlx.DB, org shipments.OrgID) (rows []string) {
	t.Helper()
	for _, table := range tables(t, db) {
		var some []string
		if err := db.SelectContext(t.Context(), &some, fmt.Sprintf(
			`SELECT '%[1]s ' || t::text FROM %[1]s t WHERE organization_id = $1 ORDER BY 1`, table),
			uuid.UUID(org)); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, some...)
	}
	return rows
}

// violates reports whether an error is a refusal by row-level security.
func violates(err error) bool {
	pgErr, ok := errors.AsType[*pq.Error](err)
	return ok && pgErr.Code == "42501"
}
