package postgres

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// channel is the NOTIFY channel for changes of tokens. The payload
// is empty: listeners read the table, which holds all committed changes.
const channel = "token_changes"

// transact runs work in a transaction and commits when it returns nil.
func transact(ctx context.Context, db *sqlx.DB, work func(*sqlx.Tx) error) error {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return translate(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := work(tx); err != nil {
		return translate(err)
	}
	return translate(tx.Commit())
}

// mutation is a transaction that changes something in one organization, whose
// audit head it has locked.
type mutation struct {
	*sqlx.Tx
	head audit.Head
}

// mutate runs work as a mutation and commits when it returns nil. An
// organization that does not exist gives tokens.ErrNotFound.
//
// The head is the first lock of every change in an
// organization, and the counter of revisions the last: so there is one change
// at a time in each, and no two transactions can wait for each other. Reports
// of usage lock no row that is locked here.
func mutate(ctx context.Context, db *sqlx.DB, org tokens.OrgID, work func(*mutation) error) error {
	return transact(ctx, db, func(tx *sqlx.Tx) error {
		m, err := lockHead(ctx, tx, org)
		if err != nil {
			return err
		}
		return work(m)
	})
}

// lockHead reads the head of an organization's log under a lock.
func lockHead(ctx context.Context, tx *sqlx.Tx, org tokens.OrgID) (*mutation, error) {
	head, err := one[audit.Head](ctx, tx,
		`SELECT log_id AS log, sequence, hash FROM audit_heads WHERE log_id = $1 FOR UPDATE`, org)
	return &mutation{Tx: tx, head: head}, err
}

// beginLog creates the empty log of a new organization, and locks it.
func beginLog(ctx context.Context, tx *sqlx.Tx, org tokens.OrgID) (*mutation, error) {
	m := &mutation{Tx: tx, head: audit.Head{Log: string(org)}}
	return m, exec(ctx, tx, `INSERT INTO audit_heads (log_id, sequence, hash) VALUES ($1, 0, $2)`, org, m.head.Hash[:])
}

// record appends to the organization's audit log.
func (m *mutation) record(ctx context.Context, e audit.Entry) error {
	event := m.head.Append(e)
	details, err := detailsText(e.Details)
	if err != nil {
		return fmt.Errorf("details of %s: %w", e.Action, err)
	}
	_, err = m.ExecContext(ctx, `
		WITH head AS (UPDATE audit_heads SET sequence = $2, hash = $13 WHERE log_id = $1)
		INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, address,
			request_id, action, target, details, previous, hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7::inet, $8, $9, $10, $11::jsonb, $12, $13)`,
		event.Log, event.Sequence, e.At, e.Actor.Kind, e.Actor.ID, e.Actor.Name, nullAddress(e.Actor.Address),
		e.Actor.RequestID, e.Action, e.Target, details, event.Previous[:], event.Hash[:])
	if err == nil {
		m.head = event.Head()
	}
	return err
}

// announceOwned is announce for all live tokens of a person in an organization,
// of which something changed that is not in their rows: what their owner may do
// there. Every such change of a person or a membership must call it in its
// transaction, because gateways use cached tokens until they are notified.
func (m *mutation) announceOwned(ctx context.Context, org tokens.OrgID, owner people.UserID) error {
	_, err := m.ExecContext(ctx, `
		WITH owned AS (
			SELECT id, row_number() OVER (ORDER BY id) AS nth FROM api_tokens
			WHERE organization_id = $1 AND owner_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
		), counted AS (
			SELECT count(*) AS n FROM owned
		), next AS (
			UPDATE revision SET value = value + n FROM counted WHERE n > 0 RETURNING value - n AS before
		), moved AS (
			UPDATE api_tokens t SET rev = next.before + owned.nth FROM owned, next WHERE t.id = owned.id RETURNING t.id, t.rev
		), notified AS (
			INSERT INTO changes (rev, token_id, kind) SELECT rev, id, $3 FROM moved RETURNING rev
		)
		SELECT pg_notify($4, '') FROM notified LIMIT 1`, org, owner, tokens.Updated, channel)
	return err
}

// announce takes the next revision for a change of a token and notifies every
// follower when this transaction commits. The counter stays locked
// until then.
func (m *mutation) announce(ctx context.Context, id tokens.TokenID, kind tokens.ChangeKind) (int64, error) {
	var row struct {
		Revision int64  `db:"rev"`
		Notified string `db:"notified"` // nothing: pg_notify returns void
	}
	err := m.GetContext(ctx, &row, `
		WITH next AS (
			UPDATE revision SET value = value + 1 RETURNING value
		), change AS (
			INSERT INTO changes (rev, token_id, kind) SELECT value, $1, $2 FROM next RETURNING rev
		)
		SELECT rev, pg_notify($3, '')::text AS notified FROM change`, id, kind, channel)
	return row.Revision, err
}
