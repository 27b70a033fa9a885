package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/limit"
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
	head         audit.Head
	organization tokens.Organization // for Change only
}

// mutate runs work as a mutation in a place of the organization and commits when it returns nil. An
// organization that does not exist gives tokens.ErrNotFound.
//
// The head is the first lock of every change in an organization, and the counter of revisions the last: so there is
// one change at a time in each, and no two transactions can wait for each other. Reports of usage lock no row that is
// locked here.
func (r *Repository) mutate(ctx context.Context, org tokens.OrgID, work func(*mutation) error) error {
	release, err := r.acquire(ctx, org)
	if err != nil {
		return translate(err)
	}
	defer release()
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		m, err := lockHead(ctx, tx, org)
		if err != nil {
			return err
		}
		return work(m)
	})
}

// lockHead reads the head of an organization's log under a lock. The advisory lock
// makes changes wait in the order in which they came: of many that wait for a row
// that changes, Postgres lets some wait until their statement times out. Only changes of other programs, and of
// accounts in several organizations, are waited for here, not until the deadline, which a command does not have: then
// the error is limit.ErrShare.
func lockHead(ctx context.Context, tx *sqlx.Tx, org tokens.OrgID) (*mutation, error) {
	bound := placeTimeout * 3 / 4
	if _, ok := ctx.Deadline(); ok {
		bound = max(remaining(ctx, lockTimeout)*3/4, time.Millisecond)
	}
	head, err := getRow[audit.Head](ctx, tx, `
		WITH bound AS MATERIALIZED (SELECT set_config('lock_timeout', $2, true)),
		queue AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended($1, 0)) FROM bound)
		SELECT log_id AS log, sequence, hash FROM queue, audit_heads h WHERE log_id = $1 FOR UPDATE OF h`, org,
		strconv.FormatInt(bound.Milliseconds(), 10))
	if refused, ok := errors.AsType[*pq.Error](err); ok && refused.Code == lockNotAvailable {
		err = fmt.Errorf("changes of %s: %w", org, limit.ErrShare)
	}
	return &mutation{Tx: tx, head: head}, err
}

// lockNotAvailable is the SQLSTATE of a statement that lock_timeout ended.
const lockNotAvailable = "55P03"

// Record implements tokens.Tx: it appends to the organization's audit log, and stores the mails.
func (m *mutation) Record(ctx context.Context, entries ...audit.Entry) error {
	head := m.head
	events := make([]audit.Event, len(entries))
	for i, e := range entries {
		events[i] = head.Append(e)
		head = events[i].Head()
		if err := storeMails(ctx, m, head.Log, e.At, e.Mails); err != nil {
			return err
		}
	}
	text, err := json.Marshal(events)
	if err != nil {
		return fmt.Errorf("audit events of %s: %w", head.Log, err)
	}
	err = exec(ctx, m, `
		WITH head AS (UPDATE audit_heads SET sequence = $2, hash = $3 WHERE log_id = $1)
		INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, address, request_id, action,
			target, details, previous, hash)
		SELECT $1, sequence, at, actor ->> 'kind', coalesce(actor ->> 'id', ''), actor ->> 'name',
			(actor ->> 'address')::inet, coalesce(actor ->> 'request_id', ''), action, target, coalesce(details, '{}'),
			decode(previous_hash, 'hex'), decode(hash, 'hex')
		FROM json_to_recordset($4) AS e (sequence bigint, at timestamptz, actor jsonb, action text, target text,
			details jsonb, previous_hash text, hash text)`, head.Log, head.Sequence, head.Hash[:], string(text))
	if err == nil {
		m.head = head
	}
	return err
}

// announceOwned is announce for all live tokens of a person in the organization, of which something changed that is
// not in their rows: what their owner may do there. Every such change of a person or a membership must call it in its
// transaction, because gateways use cached tokens until they are notified.
func (m *mutation) announceOwned(ctx context.Context, owner people.UserID) error {
	owned, err := getRows[tokens.TokenID](ctx, m, `
		SELECT id FROM api_tokens
		WHERE organization_id = $1 AND owner_id = $2 AND revoked_at IS NULL
			AND (expires_at IS NULL OR expires_at > now())
		ORDER BY id`, m.org(), owner)
	if err != nil {
		return err
	}
	_, err = m.announce(ctx, owned, tokens.Updated)
	return err
}

// announce gives each of the tokens the next revision, in their order, returns the last one, and notifies
// every follower when this transaction commits. The counter stays locked until then.
func (m *mutation) announce(ctx context.Context, ids []tokens.TokenID, kind tokens.ChangeKind) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	return getRow[int64](ctx, m, `
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
		SELECT max(rev) FROM announced, LATERAL (SELECT pg_notify($4, '')) notified`,
		pq.Array(ids), len(ids), kind, channel)
}

// CreateOrganization implements tokens.Repository.
func (r *Repository) CreateOrganization(ctx context.Context, o tokens.Organization, e audit.Entry) error {
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		m := &mutation{Tx: tx, head: audit.Head{Log: string(o.ID)}}
		err := exec(ctx, tx, `
			WITH made AS (INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3))
			INSERT INTO audit_heads (log_id, sequence, hash) VALUES ($1, 0, $4)`, o.ID, o.Name, o.CreatedAt, m.head.Hash[:])
		if err != nil {
			return err
		}
		return m.Record(ctx, e)
	})
}

const selectOrganization = `
	SELECT id, name, created_at, max_days AS "policy.max_days", require_addresses AS "policy.require_addresses",
		owners_grant_admin AS "policy.owners_grant_admin", version AS "policy.version"
	FROM organizations WHERE id = $1`

// Organization implements tokens.Tx.
func (m *mutation) Organization() tokens.Organization { return m.organization }

// SetOrganization implements tokens.Tx.
func (m *mutation) SetOrganization(ctx context.Context, name string, p tokens.Policy) error {
	return exec(ctx, m, `
		UPDATE organizations SET name = $2, max_days = $3, require_addresses = $4, owners_grant_admin = $5,
			version = version + 1
		WHERE id = $1`, m.org(), name, p.MaxDays, p.RequireAddresses, p.OwnersGrantAdmin)
}
