package postgres

import (
	"context"
	"database/sql"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const eventColumns = `
	SELECT log_id AS log, sequence, at, actor_kind AS "actor.kind", actor_id AS "actor.id", actor_name AS "actor.name",
	       host(address) AS "actor.address", request_id AS "actor.request_id", action, target, details, previous, hash `

// selectEvents is completed by a condition, which goes by the primary key.
const selectEvents = eventColumns + `FROM audit_events WHERE log_id = $1 `

// ofTime selects the events of a time.
const ofTime = ` audit_events WHERE log_id = $1 AND at >= $2 AND at < coalesce($3, 'infinity'::timestamptz) `

// newest are those of them that are searched: tokens.AuditWindow.
const newest = `FROM (SELECT * FROM` + ofTime + `ORDER BY at DESC, sequence DESC LIMIT $7) e `

// selected is the condition of a query that searches texts, for each word.
const selected = `WHERE ($4 = '' OR action = $4) AND position(lower($5) IN lower(actor_name)) > 0
	AND lower(concat_ws(' ', translate(action, '._', '  '), actor_name, target, (SELECT string_agg(
		translate(key, '_', ' ') || ' ' || value, ' ') FROM jsonb_each_text(details)))) LIKE ALL (lower($6)::text[]) `

// AuditEvents implements tokens.Repository. Sequences have no gaps, so a page of all events
// is found by its numbers, however long the log is.
func (r *Repository) AuditEvents(
	ctx context.Context, org tokens.OrgID, q tokens.AuditQuery, p tokens.Page,
) (page tokens.AuditPage, err error) {
	release, err := r.acquire(ctx, org)
	if err != nil {
		return page, translate(err)
	}
	defer release()
	head, err := readHead(ctx, r.db, string(org))
	if err != nil {
		return page, err
	}
	args := []any{org, q.From, null(q.Before), q.Action, q.Actor, likeWords(q.Text)}
	if q.After != nil {
		page.Total = int(max(head.Sequence-*q.After, 0))
		page.Events, err = getRows[audit.Event](ctx, r.db,
			eventColumns+`FROM (SELECT * FROM`+ofTime+`AND sequence > $7 AND sequence <= $8) e `+selected+
				`ORDER BY sequence LIMIT $9`,
			append(args, *q.After, min(head.Sequence, *q.After+tokens.AuditWindow), p.Size)...)
		return page, err
	}
	if q == (tokens.AuditQuery{}) {
		page.Total = int(head.Sequence)
		newest := head.Sequence - int64(p.Offset())
		page.Events, err = getRows[audit.Event](ctx, r.db,
			selectEvents+`AND sequence > $2 AND sequence <= $3 ORDER BY sequence DESC`,
			org, newest-int64(p.Size), newest)
		return page, err
	}
	older, err := getRows[time.Time](ctx, r.db,
		`SELECT at FROM`+ofTime+`ORDER BY at DESC, sequence DESC LIMIT 1 OFFSET $4`,
		org, q.From, null(q.Before), tokens.AuditWindow)
	page.Older = append(older, time.Time{})[0]
	args = append(args, tokens.AuditWindow)
	if err == nil {
		page.Total, err = getRow[int](ctx, r.db, `SELECT count(*) `+newest+selected, args...)
	}
	if err == nil {
		page.Events, err = getRows[audit.Event](ctx, r.db,
			eventColumns+newest+selected+`ORDER BY sequence DESC LIMIT $8 OFFSET $9`, append(args, p.Size, p.Offset())...)
	}
	return page, err
}

// AuditLogs returns the ids of all audit logs, of organizations and of people, also of organizations that lost theirs.
func (r *Repository) AuditLogs(ctx context.Context) ([]string, error) {
	return getRows[string](ctx, r.db, `SELECT id FROM organizations UNION SELECT log_id FROM audit_heads ORDER BY 1`)
}

// verifyBatch is how many events of a log are read at once.
const verifyBatch = 1000

// VerifyAudit checks the numbers and the chain of a whole audit log, as it was at one
// instant though others go on writing, and returns its head then. It gives an *audit.Fault for the first
// event that does not match, and tokens.ErrNotFound when there is no such log.
func (r *Repository) VerifyAudit(ctx context.Context, log string) (head audit.Head, err error) {
	tx, err := r.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return head, translate(err)
	}
	defer func() { _ = tx.Rollback() }()
	if head, err = readHead(ctx, tx, log); err != nil {
		return head, err
	}
	return head, translate(audit.Verify(func(yield func(audit.Event, error) bool) {
		for after, n := int64(0), verifyBatch; n == verifyBatch; {
			events, err := getRows[audit.Event](ctx, tx, selectEvents+`AND sequence > $2 ORDER BY sequence LIMIT $3`,
				log, after, verifyBatch)
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Sequence
			}
			if n = len(events); err != nil {
				yield(audit.Event{}, err)
				return
			}
		}
	}, head))
}

// readHead returns the head of a log.
func readHead(ctx context.Context, db sqlx.QueryerContext, log string) (audit.Head, error) {
	return getRow[audit.Head](ctx, db, `SELECT log_id AS log, sequence, hash FROM audit_heads WHERE log_id = $1`, log)
}
