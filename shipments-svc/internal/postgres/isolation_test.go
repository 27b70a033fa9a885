package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// unfiltered is a connector that removes the condition on the organization from
// every query.
type unfiltered struct{ driver.Connector }

func (c unfiltered) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return unfilteredConn{inner.(postgres.Conn), inner.(driver.Tx)}, nil
}

type unfilteredConn struct {
	postgres.Conn
	driver.Tx
}

var organizationCondition = regexp.MustCompile(`(\w+\.)?organization_id = \$1`)

func (c unfilteredConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, organizationCondition.ReplaceAllString(query, `$$1::uuid IS NOT NULL`), args)
}

func (c unfilteredConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, organizationCondition.ReplaceAllString(query, `$$1::uuid IS NOT NULL`), args)
}

func openUnfiltered(t *testing.T, dsn string) *Webhooks {
	t.Helper()
	db, err := postgres.Open(dsn, postgres.Options{Wrap: func(c driver.Connector, timeout string) driver.Connector {
		return scopedConnector{unfiltered{c}, timeout, false}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return NewWebhooks(NewRepository(db), sealingKeys(t, 2, 1), func() {})
}

// victim is an organization with a row in every table, and what a thief knows
// of it.
type victim struct {
	org shipments.OrgID
	shipments.Shipment

	doc      shipments.Document
	leased   shipments.Key
	key      shipments.Key
	job      shipments.Job
	hook     webhooks.Made
	delivery webhooks.Job
}

const sscc = "106141412345678908"

func newVictim(t *testing.T, r *Repository) victim {
	t.Helper()
	w := NewWebhooks(r, sealingKeys(t, 1), func() {})
	v := victim{
		org: repotest.Org(), Shipment: repotest.Shipment(shipments.Pending, repotest.Noon), key: shipments.Key{Operation: "POST /", Text: "k"},
		leased: shipments.Key{Operation: "POST /", Text: "leased", Lease: shipments.Lease{6}},
		doc: shipments.Document{
			ID: shipments.DocumentID{5}, Type: shipments.PackingList, Status: shipments.Processed, SHA256: [32]byte{9},
			CreatedAt: repotest.Noon, ProcessedAt: repotest.Noon,
		},
	}
	v.Version = 1
	from := v.Shipment
	v.Version, v.Status, v.PalletsCount = 2, shipments.ReadyForReview, 1
	v.hook = endpointOf(t, w, v.org)
	ctx := t.Context()
	_, _, err := r.Once(ctx, v.org, v.key, repotest.Noon, func(ctx context.Context) ([]byte, error) {
		return []byte("secret"), r.Create(ctx, v.org, from, repotest.By)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.Reserve(ctx, v.org, v.leased, repotest.Noon); err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.Number(ctx, v.org, 1); err != nil {
		t.Fatal(err)
	}
	if err := r.Revise(ctx, v.org, shipments.Revision{
		From: from, To: v.Shipment, Attached: &v.doc,
		Pallets: []shipments.Pallet{{Number: sscc, Boxes: 1, BoxWeight: 1}},
		Checks:  []shipments.Check{{Name: "required_fields", Result: shipments.Fail}},
		Entry:   shipments.Entry{Version: 2, Action: shipments.AttachDocument, Status: v.Status, Document: v.doc.ID},
	}); err != nil {
		t.Fatal(err)
	}
	v.delivery, _ = w.claim(t, v.org, v.hook.ID, later)
	must(t, w.CreateTest(ctx, v.org, v.hook.ID, shipments.EventID{7}, later))
	if _, err := r.Quarantine(ctx, v.org, shipments.StoreID{1}, []shipments.DocumentID{orphan}, later); err != nil {
		t.Fatal(err)
	}
	repotest.Queued(t, r, v.org)
	if v.job, err = r.Claim(ctx, shipments.Lease{1}, shipments.Turn{}); err != nil || v.job.Org != v.org {
		t.Fatalf("%+v (%v)", v.job, err)
	}
	return v
}

// orphan is a file of the victim in quarantine.
var orphan = shipments.DocumentID{99}

// theft is a method called by another organization with what it knows of the
// victim; it reports whether the thief got hold of anything.
type theft struct {
	method string
	do     func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error)
}

func found(err error) (bool, error) {
	for _, none := range []error{shipments.ErrNotFound, shipments.ErrLost, shipments.ErrVersion, webhooks.ErrNotFound} {
		if errors.Is(err, none) {
			return false, nil
		}
	}
	return err == nil, err
}

func thefts() []theft {
	approved := func(v victim) (shipments.Shipment, shipments.Entry) {
		to := v.Shipment
		to.Version, to.Status, to.ApprovedAt = v.Version+1, shipments.Approved, repotest.Noon
		return to, shipments.Entry{Version: to.Version, Action: shipments.Approve, Status: to.Status}
	}
	late := repotest.Noon.AddDate(10, 0, 0)
	all := []theft{
		{"Get", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Get(ctx, thief, v.ID)
			return found(err)
		}},
		{"Head", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Head(ctx, thief, v.ID)
			return found(err)
		}},
		{"Documents", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, err := r.Documents(ctx, thief, v.ID)
			return found(err)
		}},
		{"History", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, _, err := r.History(ctx, thief, v.ID, 0, 10)
			return found(err)
		}},
		{"PalletUses", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			uses, err := r.PalletUses(ctx, thief, shipments.ID{}, []string{sscc}, time.Time{})
			return len(uses) > 0, err
		}},
		{"Events", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			all, first, err := r.Events(ctx, thief, 0, 10)
			return len(all) > 0 || first != 1, err
		}},
		{"Number", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			n, _, err := r.Number(ctx, thief, 10)
			return n > 0, err
		}},
		{"Expire", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			n, err := r.Expire(ctx, thief, late, 10)
			return n > 0, err
		}},
		{"Known", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			known, err := r.Known(ctx, thief, []shipments.DocumentID{v.doc.ID})
			return len(known) > 0, err
		}},
		{"Quarantine", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			orphans, err := r.Quarantine(ctx, thief, shipments.StoreID{1}, []shipments.DocumentID{v.doc.ID}, late)
			_, orphan := orphans[v.doc.ID]
			return err == nil && !orphan, err // then the thief knows that there is such a document
		}},
		{"ExpireQuarantine", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			gone, err := r.ExpireQuarantine(ctx, thief, shipments.StoreID{1}, []shipments.DocumentID{orphan}, late)
			return len(gone) > 0, err
		}},
		{"Begin", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			return found(r.Begin(ctx, v.job, late))
		}},
		{"Extend", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			return found(r.Extend(ctx, v.job))
		}},
		{"Release", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			v.job.Org = thief
			return found(r.Repository.Release(ctx, v.job, time.Hour))
		}},
		{"Change", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			to, e := approved(v)
			return found(r.Change(ctx, thief, v.Shipment, to, e))
		}},
		{"Revise", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			to, e := approved(v)
			return found(r.Revise(ctx, thief, shipments.Revision{From: v.Shipment, To: to, Entry: e, Detached: v.doc.ID}))
		}},
		{"Delete", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return found(r.Delete(ctx, thief, v.Shipment, shipments.Entry{Action: shipments.Delete}))
		}},
		{"Once", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, replayed, err := r.Repository.Once(ctx, thief, v.key, repotest.Noon, func(context.Context) ([]byte, error) { return []byte("{}"), nil })
			return replayed, err
		}},
		{"Once", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) { // when the victim's key has expired
			_, _, err := r.Repository.Once(ctx, thief, shipments.Key{Text: "other"}, late, func(context.Context) ([]byte, error) { return []byte("{}"), nil })
			return false, err
		}},
		{"Reserve", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			_, replayed, err := r.Reserve(ctx, thief, shipments.Key{Operation: v.key.Operation, Text: v.key.Text, Lease: shipments.Lease{7}}, repotest.Noon)
			return replayed, err
		}},
		{"Free", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return false, r.Free(ctx, thief, v.leased)
		}},
		{"Exclusively", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (found bool, err error) {
			err = r.Exclusively(ctx, thief, func(ctx context.Context) error {
				_, err := r.Get(ctx, thief, v.ID)
				found = err == nil
				if errors.Is(err, shipments.ErrNotFound) {
					return nil
				}
				return err
			})
			return found, err
		}},
		{"Create", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			return false, r.Create(ctx, thief, v.Shipment, repotest.By)
		}},
		{"Import", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, v victim) (bool, error) {
			n, err := r.Import(ctx, thief, []shipments.Detail{{Shipment: v.Shipment}, {Shipment: repotest.Shipment(shipments.Pending, repotest.Noon)}})
			return n == 0, err
		}},
	}
	all = append(all, webhookThefts()...)
	for _, f := range filters() {
		all = slices.Insert(all, 0, theft{"List", func(ctx context.Context, r *Webhooks, thief shipments.OrgID, _ victim) (bool, error) {
			page, total, err := r.List(ctx, thief, f, 0, 10)
			return len(page) > 0 || total > 0, err
		}})
	}
	return all
}

// TestRowLevelSecurityHoldsWithoutTheConditionOnTheOrganization: with the condition
// removed from its queries, no method sees or changes anything of another
// organization.
func TestRowLevelSecurityHoldsWithoutTheConditionOnTheOrganization(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	db := operator(t, dsn)
	v := newVictim(t, NewRepository(openAt(t, dsn)))
	r, thief := openUnfiltered(t, dsn), repotest.Org()
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

// TestWithoutConditionAndRowLevelSecurityMethodsCrossOrganizations: every method that
// reads or changes rows reaches those of another organization, so the test above
// can fail.
func TestWithoutConditionAndRowLevelSecurityMethodsCrossOrganizations(t *testing.T) {
	t.Parallel()
	harmless := []string{"Create", "CreateEndpoint", "CreateTest", "Import"} // they add rows, and those are the thief's
	for _, theft := range thefts() {
		if theft.method == "List" {
			continue // seen below, without a filter
		}
		t.Run(theft.method, func(t *testing.T) {
			t.Parallel()
			dsn := pgtestDSN(t)
			db := operator(t, dsn)
			v := newVictim(t, NewRepository(openAt(t, dsn)))
			for _, table := range tables(t, db) {
				exec(t, db, `ALTER TABLE `+table+` DISABLE ROW LEVEL SECURITY`)
			}
			before := rowsOf(t, db, v.org)
			r := openUnfiltered(t, dsn)
			if page, total, err := r.List(t.Context(), repotest.Org(), shipments.Filter{}, 0, 10); len(page) == 0 || total == 0 || err != nil {
				t.Errorf("it lists %d of %d (%v)", len(page), total, err)
			}
			stolen, err := theft.do(t.Context(), r, repotest.Org(), v)
			changed := !slices.Equal(before, rowsOf(t, db, v.org))
			if !stolen && !changed && err == nil && !slices.Contains(harmless, theft.method) {
				t.Error("it is not")
			}
		})
	}
}

// TestEveryMethodIsTriedFromAnotherOrganization, but those that work for no organization.
func TestEveryMethodIsTriedFromAnotherOrganization(t *testing.T) {
	t.Parallel()
	tried := []string{"Announced", "Claim", "Due", "JobsWaiting", "Overdue", "Ready", "Waiting", "Publishers", "ReadFrom", "ServedByReplica", "StoreID", "BindStore", "AdoptStore"}
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

// TestWhoForgetsTheOrganizationSeesNothing: neither outside of a transaction
// nor in one that was begun for nobody.
func TestWhoForgetsTheOrganizationSeesNothing(t *testing.T) {
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
		var n int
		if err := tx.GetContext(t.Context(), &n, `SELECT count(*) FROM `+table); err != nil || n != 0 {
			t.Errorf("%d rows of %s (%v)", n, table, err)
		}
		if err := db.GetContext(t.Context(), &n, `SELECT count(*) FROM `+table); !errors.Is(err, postgres.ErrRefused) {
			t.Errorf("%s outside of a transaction: %d rows (%v)", table, n, err)
		}
	}
	if _, err := tx.ExecContext(t.Context(), countSQL, uuid.New(), `[{"status":"","day":"2026-11-20","shard":1,"n":1}]`); !violates(err) {
		t.Errorf("it counted: %v", err)
	}
}

// TestNobodyWritesForAnother: a row of another organization is refused, and so
// is a method of another one within a transaction.
func TestNobodyWritesForAnother(t *testing.T) {
	t.Parallel()
	r, db := newTest(t)
	mine, theirs := repotest.Org(), repotest.Org()
	_, err := r.writes(t.Context(), mine).ExecContext(t.Context(), announceSQL, uuid.UUID(theirs),
		`[{"id":"01890a5d-ac96-774b-bcce-b302099a8057","type":"x","at":"2026-11-20","subject":{}}]`)
	if !violates(err) {
		t.Errorf("it announced: %v", err)
	}
	_, _, err = r.Once(t.Context(), mine, shipments.Key{Text: "k"}, repotest.Noon, func(ctx context.Context) ([]byte, error) {
		_, getErr := r.Get(ctx, theirs, shipments.ID{})
		_, _, listErr := r.List(ctx, theirs, shipments.Filter{}, 0, 1)
		for _, err := range []error{
			getErr, listErr, r.Create(ctx, theirs, repotest.Shipment(shipments.Pending, repotest.Noon), repotest.By),
			r.Revise(ctx, theirs, shipments.Revision{}),
		} {
			if !errors.Is(err, errOtherScope) {
				t.Errorf("%v", err)
			}
		}
		return []byte("{}"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rowsOf(t, db, theirs) {
		t.Errorf("there is %s", row)
	}
}

// TestEveryTableOfOrganizationsHasRowLevelSecurity: each with the column, as forced
// row-level security and the tenant's policy, which no other widens.
func TestEveryTableOfOrganizationsHasRowLevelSecurity(t *testing.T) {
	t.Parallel()
	_, db := newTest(t)
	const condition = "(organization_id = (NULLIF(current_setting('quayside.organization'::text, true), ''::text))::uuid)"
	for _, table := range tables(t, db) {
		var forced bool
		if err := db.GetContext(t.Context(), &forced, `
			SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = $1::regclass`, table); err != nil || !forced {
			t.Errorf("%s: row-level security is not forced (%v)", table, err)
		}
		var policies []string
		if err := db.SelectContext(t.Context(), &policies, `
			SELECT concat_ws(' ', roles, cmd, coalesce(qual, 'none'), coalesce(with_check, 'none'))
			FROM pg_policies WHERE tablename = $1 AND 'quayside_dispatcher' <> ALL (roles)`, table); err != nil ||
			!slices.Equal(policies, []string{fmt.Sprintf("{%s} ALL %s %[2]s", tenant, condition)}) {
			t.Errorf("%s has the policies %q (%v)", table, policies, err)
		}
	}
}

// TestTheRolesMayDoNoMoreThanTheyMust.
func TestTheRolesMayDoNoMoreThanTheyMust(t *testing.T) {
	t.Parallel()
	_, db := newTest(t)
	var mighty []string
	if err := db.SelectContext(t.Context(), &mighty, `
		SELECT rolname FROM pg_roles r WHERE rolname IN ($1, $2) AND (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb
			OR EXISTS (SELECT FROM pg_class WHERE relowner = r.oid))`, tenant, dispatcher); err != nil || len(mighty) > 0 {
		t.Errorf("%v are mightier (%v)", mighty, err)
	}
	var seen []string
	if err := db.SelectContext(t.Context(), &seen, `
		SELECT table_name || '.' || column_name || ' ' || privilege_type FROM information_schema.column_privileges
		WHERE grantee = $1 ORDER BY (table_name || '.' || column_name || ' ' || privilege_type) COLLATE "C"`, dispatcher); err != nil ||
		!slices.Equal(seen, []string{
			"event_heads.organization_id SELECT", "file_store.identity INSERT", "file_store.identity SELECT", "file_store.identity UPDATE",
			"jobs.attempts SELECT", "jobs.attempts UPDATE", "jobs.claimable_at SELECT", "jobs.claimable_at UPDATE", "jobs.document_id SELECT",
			"jobs.lease SELECT", "jobs.lease UPDATE", "jobs.organization_id SELECT", "jobs.run SELECT", "jobs.shipment_id SELECT",
			"outbox.organization_id SELECT",
			"webhook_deliveries.due_at SELECT", "webhook_deliveries.endpoint_id SELECT", "webhook_deliveries.organization_id SELECT",
			"webhook_endpoints.id SELECT", "webhook_endpoints.organization_id SELECT", "webhook_endpoints.status SELECT",
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
			`SELECT '%[1]s ' || t::text FROM %[1]s t WHERE organization_id = $1 ORDER BY 1`, table), uuid.UUID(org)); err != nil {
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
