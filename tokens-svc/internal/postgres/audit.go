package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// selectEvents is completed by a condition, which goes by the primary key.
const selectEvents = `
	SELECT log_id AS log, sequence, at, actor_kind AS "actor.kind", actor_id AS "actor.id", actor_name AS "actor.name",
	       host(address) AS address, request_id AS "actor.request_id", action, target, details, previous, hash
	FROM audit_events `

// auditBatch is how many events are read at once where all are.
const auditBatch = 1000

// selected returns the condition of a query, and its arguments.
func selected(org tokens.OrgID, q tokens.AuditQuery) (condition string, args []any) {
	args = []any{org}
	condition = `WHERE log_id = $1`
	and := func(wanted bool, clause string, arg any) {
		if wanted {
			args = append(args, arg)
			condition += ` AND ` + strings.ReplaceAll(clause, "?", "$"+strconv.Itoa(len(args)))
		}
	}
	and(q.Text != "", `position(lower(?) IN
		lower(concat_ws(' ', translate(action, '._', '  '), actor_name, target, details::text))) > 0`, q.Text)
	and(q.Action != "", `action = ?`, q.Action)
	and(q.Actor != "", `position(lower(?) IN lower(actor_name)) > 0`, q.Actor)
	and(q.Target != "", `target = ?`, q.Target)
	and(!q.From.IsZero(), `at >= ?`, q.From)
	and(!q.Before.IsZero(), `at < ?`, q.Before)
	return condition, args
}

// AuditEvents implements tokens.Repository. Sequences have no gaps, so a page of all events
// is found by its numbers, however long the log is.
func (r *Repository) AuditEvents(
	ctx context.Context, org tokens.OrgID, q tokens.AuditQuery, p tokens.Page,
) ([]audit.Event, int, error) {
	head, err := readHead(ctx, r.db, string(org))
	if err != nil {
		return nil, 0, err
	}
	if q.After != nil {
		rows, err := readEvents(ctx, r.db,
			`WHERE log_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
			org, *q.After, head.Sequence, p.Size)
		return rows, int(max(head.Sequence-*q.After, 0)), err
	}
	if q == (tokens.AuditQuery{}) {
		newest := head.Sequence - int64(p.Offset())
		rows, err := readEvents(ctx, r.db, `WHERE log_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence DESC`,
			org, newest-int64(p.Size), newest)
		return rows, int(head.Sequence), err
	}
	condition, args := selected(org, q)
	total, err := one[int](ctx, r.db, `SELECT count(*) FROM audit_events `+condition, args...)
	if err != nil {
		return nil, 0, err
	}
	condition += fmt.Sprintf(` ORDER BY sequence DESC LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2)
	rows, err := readEvents(ctx, r.db, condition, append(args, p.Size, p.Offset())...)
	return rows, total, err
}

// AllAuditEvents implements tokens.Repository.
func (r *Repository) AllAuditEvents(
	ctx context.Context, org tokens.OrgID, q tokens.AuditQuery,
) iter.Seq2[audit.Event, error] {
	condition, args := selected(org, q)
	condition += fmt.Sprintf(` AND sequence < $%d ORDER BY sequence DESC LIMIT %d`, len(args)+1, auditBatch)
	return batches(math.MaxInt64, func(before int64) ([]audit.Event, error) {
		return readEvents(ctx, r.db, condition, append(args, before)...)
	})
}

// batches returns events in order. read returns those next to a number, at most auditBatch.
func batches(at int64, read func(at int64) ([]audit.Event, error)) iter.Seq2[audit.Event, error] {
	return func(yield func(audit.Event, error) bool) {
		for {
			events, err := read(at)
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				at = e.Sequence
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
	events := batches(0, func(after int64) ([]audit.Event, error) {
		return readEvents(ctx, tx, `WHERE log_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, log, after, auditBatch)
	})
	return head, translate(audit.Verify(events, head))
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

// eventRow is a row of selectEvents: an event, and what of it is converted.
type eventRow struct {
	audit.Event
	Address address
	Details string
}

// event returns the row's event. One that cannot be read was not written by
// this program, which is an *audit.Fault.
func (r eventRow) event() (audit.Event, error) {
	e := r.Event
	e.Actor.Address = r.Address.Addr
	if err := json.Unmarshal([]byte(r.Details), &e.Details); err != nil {
		return audit.Event{}, &audit.Fault{
			Log: e.Log, Sequence: e.Sequence, Reason: fmt.Sprintf("was changed: its details cannot be read: %v", err),
		}
	}
	return e, nil
}

// address is host() of an inet; zero for NULL.
type address struct{ netip.Addr }

// Scan implements sql.Scanner.
func (a *address) Scan(src any) error {
	var text sql.Null[string]
	err := text.Scan(src)
	if err == nil && text.Valid {
		a.Addr, err = netip.ParseAddr(text.V)
	}
	return err
}
