package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

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
// audit head it has locked. It implements tokens.Tx.
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

// lockHead reads the head of an organization's log under a lock. The advisory lock
// makes changes wait in the order in which they came: of many that wait for a row
// that changes, Postgres lets some wait until their statement times out.
func lockHead(ctx context.Context, tx *sqlx.Tx, org tokens.OrgID) (*mutation, error) {
	head, err := one[audit.Head](ctx, tx,
		`WITH queue AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0)))
		SELECT log_id AS log, sequence, hash FROM queue, audit_heads h WHERE log_id = $1 FOR UPDATE OF h`, org)
	return &mutation{Tx: tx, head: head}, err
}

// beginLog creates the empty log of a new organization, and locks it.
func beginLog(ctx context.Context, tx *sqlx.Tx, org tokens.OrgID) (*mutation, error) {
	m := &mutation{Tx: tx, head: audit.Head{Log: string(org)}}
	return m, exec(ctx, tx, `INSERT INTO audit_heads (log_id, sequence, hash) VALUES ($1, 0, $2)`, org, m.head.Hash[:])
}

// record appends to the organization's audit log.
func (m *mutation) record(ctx context.Context, entries ...audit.Entry) error {
	n := len(entries)
	sequences, at := make(pq.Int64Array, n), make([]time.Time, n)
	kinds, ids, names := make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n)
	addresses, requests := make([]sql.Null[string], n), make(pq.StringArray, n)
	actions, targets, details := make(pq.StringArray, n), make(pq.StringArray, n), make(pq.StringArray, n)
	previous, hashes := make(pq.ByteaArray, n), make(pq.ByteaArray, n)
	head := m.head
	for i, e := range entries {
		event := head.Append(e)
		head = event.Head()
		text, err := detailsText(e.Details)
		if err != nil {
			return fmt.Errorf("details of %s: %w", e.Action, err)
		}
		sequences[i], at[i], details[i] = event.Sequence, e.At, text
		kinds[i], ids[i], names[i] = string(e.Actor.Kind), e.Actor.ID, e.Actor.Name
		addresses[i], requests[i] = nullAddress(e.Actor.Address), e.Actor.RequestID
		actions[i], targets[i] = string(e.Action), e.Target
		previous[i], hashes[i] = event.Previous[:], event.Hash[:]
	}
	err := exec(ctx, m, `
		WITH head AS (UPDATE audit_heads SET sequence = $2, hash = $3 WHERE log_id = $1)
		INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, address,
			request_id, action, target, details, previous, hash)
		SELECT $1, * FROM unnest($4::bigint[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::inet[],
			$10::text[], $11::text[], $12::text[], $13::jsonb[], $14::bytea[], $15::bytea[])`,
		head.Log, head.Sequence, head.Hash[:], sequences, pq.Array(at), kinds, ids, names, pq.Array(addresses),
		requests, actions, targets, details, previous, hashes)
	if err == nil {
		m.head = head
	}
	return err
}

// Record implements tokens.Tx.
func (m *mutation) Record(ctx context.Context, entries ...audit.Entry) error {
	return m.record(ctx, entries...)
}

// announceOwned is announce for all live tokens of a person in an organization,
// of which something changed that is not in their rows: what their owner may do
// there. Every such change of a person or a membership must call it in its
// transaction, because gateways use cached tokens until they are notified.
func (m *mutation) announceOwned(ctx context.Context, org tokens.OrgID, owner people.UserID) error {
	owned, err := list[tokens.TokenID](ctx, m, `
		SELECT id FROM api_tokens
		WHERE organization_id = $1 AND owner_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
		ORDER BY id`, org, owner)
	if err != nil {
		return err
	}
	return m.announce(ctx, owned, tokens.Updated)
}

// announce gives each of the tokens the next revision, in their order, and notifies
// every follower when this transaction commits. The counter stays locked until then.
func (m *mutation) announce(ctx context.Context, ids []tokens.TokenID, kind tokens.ChangeKind) error {
	if len(ids) == 0 {
		return nil
	}
	return exec(ctx, m, `
		WITH changed AS (
			SELECT id COLLATE "C" AS id, nth FROM unnest($1::text[]) WITH ORDINALITY AS c (id, nth)
		), next AS (
			UPDATE revision SET value = value + $2 RETURNING value - $2 AS before
		), moved AS (
			UPDATE api_tokens t SET rev = next.before + changed.nth FROM changed, next
			WHERE t.id = changed.id RETURNING t.id, t.rev
		), announced AS (
			INSERT INTO changes (rev, token_id, kind) SELECT rev, id, $3 FROM moved RETURNING rev
		)
		SELECT pg_notify($4, '') FROM announced LIMIT 1`, pq.Array(ids), len(ids), kind, channel)
}
