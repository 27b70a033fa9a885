package postgres

import (
	"context"
	"database/sql"
	"iter"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// selectEvents is completed by a condition, which goes by the primary key.
const selectEvents = `
	SELECT log_id AS log, sequence, at, actor_kind AS "actor.kind", actor_id AS "actor.id", actor_name AS "actor.name",
	       host(address) AS address, request_id AS "actor.request_id", action, target, details, previous, hash
	FROM audit_events `

// auditBatch is how many events are read at once to verify them.
const auditBatch = 1000

// AuditEvents implements tokens.Repository. Sequences have no gaps, so a page
// is found by its numbers, however long the log is.
func (r *Repository) AuditEvents(
	ctx context.Context, org tokens.OrgID, p tokens.Page,
) ([]audit.Event, int, error) {
	head, err := readHead(ctx, r.db, string(org))
	if err != nil {
		return nil, 0, err
	}
	newest := head.Sequence - int64(p.Offset())
	rows, err := readEvents(ctx, r.db, `WHERE log_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence DESC`,
		org, newest-int64(p.Size), newest)
	return rows, int(head.Sequence), err
}

// AuditEventsAfter implements tokens.Repository.
func (r *Repository) AuditEventsAfter(
	ctx context.Context, org tokens.OrgID, after int64, n int,
) ([]audit.Event, int64, error) {
	head, err := readHead(ctx, r.db, string(org))
	if err != nil {
		return nil, 0, err
	}
	events, err := readEvents(ctx, r.db,
		`WHERE log_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
		org, after, head.Sequence, n)
	return events, head.Sequence, err
}

// AuditLogs implements tokens.Repository.
func (r *Repository) AuditLogs(ctx context.Context) ([]string, error) {
	return list[string](ctx, r.db, `SELECT id FROM organizations UNION SELECT log_id FROM audit_heads ORDER BY 1`)
}

// VerifyAudit implements tokens.Repository. It sees the log and its head as
// they were at one instant, though others go on writing.
func (r *Repository) VerifyAudit(ctx context.Context, log string) (head audit.Head, err error) {
	tx, err := r.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return head, translate(err)
	}
	defer func() { _ = tx.Rollback() }()
	if head, err = readHead(ctx, tx, log); err != nil {
		return head, err
	}
	return head, translate(audit.Verify(allEvents(ctx, tx, log), head))
}

// allEvents reads a log's events in order, some at a time.
func allEvents(ctx context.Context, db sqlx.QueryerContext, log string) iter.Seq2[audit.Event, error] {
	return func(yield func(audit.Event, error) bool) {
		for after := int64(0); ; {
			events, err := readEvents(ctx, db, `WHERE log_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, log, after,
				auditBatch)
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Sequence
			}
			if err != nil {
				yield(audit.Event{}, err)
			}
			if err != nil || len(events) < auditBatch {
				return
			}
		}
	}
}

// readEvents returns the events up to the first that cannot be read.
func readEvents(ctx context.Context, db sqlx.QueryerContext, condition string, args ...any) ([]audit.Event, error) {
	rows, err := list[eventRow](ctx, db, selectEvents+condition, args...)
	if err != nil {
		return nil, err
	}
	events := make([]audit.Event, 0, len(rows))
	for _, row := range rows {
		e, err := row.event()
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

// readHead returns the head of a log.
func readHead(ctx context.Context, db sqlx.QueryerContext, log string) (audit.Head, error) {
	return one[audit.Head](ctx, db, `SELECT log_id AS log, sequence, hash FROM audit_heads WHERE log_id = $1`, log)
}
