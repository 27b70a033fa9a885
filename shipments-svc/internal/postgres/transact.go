package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// attempts is how often a transaction is begun that had no effect and may
// succeed when it is repeated.
const attempts = 3

// session runs statements in a scope: each in a transaction of its own, or all in one that
// goes on.
type session struct {
	db     *sqlx.DB
	scope  scope
	places *limit.Shares[shipments.Organization] // nil: it needs none
	tx     *sqlx.Tx                              // that goes on; nil: none
}

type sessionKey struct{}

// within returns a context whose statements for the organization are part of a transaction.
func within(ctx context.Context, org shipments.OrgID, tx *sqlx.Tx) context.Context {
	return context.WithValue(ctx, sessionKey{}, session{scope: scope{tenantRole, uuid.UUID(org)}, tx: tx})
}

// tenant returns the session of an organization: that of the transaction which the context
// is within, if any. A transaction of another organization is a fault of the program.
func (r *Repository) tenant(ctx context.Context, org shipments.OrgID) session {
	s := session{db: r.db, scope: scope{tenantRole, uuid.UUID(org)}}
	ongoing, ok := ctx.Value(sessionKey{}).(session)
	if !ok {
		if org != (shipments.OrgID{}) {
			s.places = r.places
		}
		return s
	}
	if ongoing.scope != s.scope {
		panic("postgres: the transaction works for another organization")
	}
	return ongoing
}

// dispatcher returns the session of statements that find organizations with work, or claim a
// job of any. They see nothing else.
func (r *Repository) dispatcher() session {
	return session{db: r.db, scope: scope{role: dispatcherRole}}
}

// run runs do with what its statements run on. Outside of a transaction it repeats what
// Postgres chose as the victim of a deadlock, could not serialize, or found to be prepared
// for an older schema.
func (s session) run(ctx context.Context, doing string, do func(context.Context, sqlx.ExtContext) error) (err error) {
	if s.tx != nil {
		if err = do(ctx, s.tx); err != nil {
			return failure(doing, err)
		}
		return nil
	}
	if s.places != nil {
		release, err := s.places.Acquire(ctx, shipments.OrganizationOf(shipments.OrgID(s.scope.org)), 1)
		if err != nil {
			return failure(doing, err)
		}
		defer release()
	}
	ctx = context.WithValue(ctx, scopeKey{}, s.scope)
	for range attempts {
		if err = do(ctx, s.db); err == nil {
			return nil
		}
		pgErr, ok := errors.AsType[*pq.Error](err)
		victim := ok && (pgErr.Code == "40001" || pgErr.Code == "40P01")
		if !victim && !errors.Is(err, postgres.ErrStalePlan) {
			break
		}
	}
	return failure(doing, err)
}

// getRow runs a statement that returns one row, or shipments.ErrNotFound.
func getRow[Row any](ctx context.Context, on session, q statement, args ...any) (row Row, err error) {
	err = on.run(ctx, q.name, func(ctx context.Context, db sqlx.ExtContext) error {
		return sqlx.GetContext(ctx, db, &row, q.text, args...)
	})
	return row, err
}

// getRows runs a statement that returns any number of rows.
func getRows[Row any](ctx context.Context, on session, q statement, args ...any) (rows []Row, err error) {
	err = on.run(ctx, q.name, func(ctx context.Context, db sqlx.ExtContext) error {
		rows = nil
		return sqlx.SelectContext(ctx, db, &rows, q.text, args...)
	})
	return rows, err
}

// getJSON runs a statement that returns one row of one column of JSON.
func getJSON[Value any](ctx context.Context, on session, q statement, args ...any) (Value, error) {
	row, err := getRow[fromJSON[Value]](ctx, on, q, args...)
	return row.value, err
}

// execute runs a statement that returns nothing.
func execute(ctx context.Context, on session, q statement, args ...any) error {
	return on.run(ctx, q.name, func(ctx context.Context, db sqlx.ExtContext) error {
		_, err := db.ExecContext(ctx, q.text, args...)
		return err
	})
}

// transact runs do in a transaction for an organization, or as part of the one that the
// context is within.
func (r *Repository) transact(ctx context.Context, org shipments.OrgID, doing string, do func(*sqlx.Tx) error) error {
	return r.tenant(ctx, org).run(ctx, doing, func(ctx context.Context, q sqlx.ExtContext) error {
		if tx, ok := q.(*sqlx.Tx); ok {
			return do(tx)
		}
		tx, err := r.db.BeginTxx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after Commit it does nothing
		if err := do(tx); err != nil {
			return err
		}
		if err = tx.Commit(); errors.Is(err, sql.ErrTxDone) { // rolled back because the context had ended
			return ctx.Err()
		}
		return err
	})
}

// Locked implements shipments.Repository and webhooks.Repository.
func (r *Repository) Locked(
	ctx context.Context, org shipments.OrgID, things string, do func(context.Context) error,
) error {
	err := r.transact(ctx, org, "lock "+things, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, query("lock").text, org, things); err != nil {
			return err
		}
		return do(within(ctx, org, tx))
	})
	if err == nil {
		notify(r.WebhooksDue) // a delivery that do made can be seen only now
	}
	return err
}

// The roles as which the program works, whatever its login. Neither owns a
// table nor is exempt from row-level security.
const (
	tenantRole     = "quayside_tenant"     // sees and changes the rows of one organization
	dispatcherRole = "quayside_dispatcher" // sees which organizations have work
)

// scope is the role and organization of a transaction. With its zero value no row is visible.
type scope struct {
	role string
	org  uuid.UUID
}

// scopeKey is the key of the scope in the context of a transaction.
type scopeKey struct{}

// sessionSettings are what a direct connection begins with. Its transactions
// then set only what differs. Every statement has a generic plan that fits all
// arguments (plan_test.go), so prepared ones are planned once.
const sessionSettings = "SET plan_cache_mode = force_generic_plan; SET ROLE " + tenantRole

// settings are what a transaction sets. All of it ends with the transaction, so
// a transaction pooler passes on the connection without any of it.
func (s scope) settings(direct bool) string {
	role := cmp.Or(s.role, tenantRole)
	settings := "SET LOCAL quayside.organization = '" + s.org.String() + "'"
	if !direct || role != tenantRole {
		settings += "; SET LOCAL ROLE " + role
	}
	return settings
}
