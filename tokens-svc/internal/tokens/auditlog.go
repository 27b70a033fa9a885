package tokens

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// AuditQuery selects events of an organization's audit log. Its zero fields select all.
type AuditQuery struct {
	Text   string // in action, actor, target or details, in any case
	Action audit.Action
	Actor  string // in the actor's name, in any case
	Target string // the id of the affected object
	From   time.Time
	Before time.Time
}

// AuditEvents returns a page of the selected events of the organization's audit log, newest
// first, and how many there are. It gives ErrNotFound when there is no such organization,
// and ErrForbidden.
func (s *Service) AuditEvents(
	ctx context.Context, principal Principal, org OrgID, q AuditQuery, p Page,
) ([]audit.Event, int, error) {
	if !principal.MayReadAudit() {
		return nil, 0, principal.refuse("read the audit log")
	}
	events, total, err := s.repo.AuditEvents(ctx, org, q, p)
	if err != nil {
		return nil, 0, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return events, total, nil
}

// AllAuditEvents returns every selected event, newest first. Errors are as for AuditEvents;
// those of the storage end the sequence.
func (s *Service) AllAuditEvents(
	ctx context.Context, principal Principal, org OrgID, q AuditQuery,
) (iter.Seq2[audit.Event, error], error) {
	if !principal.MayReadAudit() {
		return nil, principal.refuse("read the audit log")
	}
	return s.repo.AllAuditEvents(ctx, org, q), nil
}

// AuditEventsAfter returns at most n events after one number, oldest first, and how
// many there are in all. Errors are as for AuditEvents.
func (s *Service) AuditEventsAfter(
	ctx context.Context, principal Principal, org OrgID, after int64, n int,
) ([]audit.Event, int, error) {
	if !principal.MayReadAudit() {
		return nil, 0, principal.refuse("read the audit log")
	}
	events, newest, err := s.repo.AuditEventsAfter(ctx, org, after, n)
	if err != nil {
		return nil, 0, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return events, int(max(newest-after, 0)), nil
}
