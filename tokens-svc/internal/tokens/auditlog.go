package tokens

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// AuditEvents returns a page of the organization's audit log, newest first, and how
// many events it has. It gives ErrNotFound when there is no such organization, and
// ErrForbidden.
func (s *Service) AuditEvents(
	ctx context.Context, principal Principal, org OrgID, p Page,
) ([]audit.Event, int, error) {
	if !principal.MayReadAudit() {
		return nil, 0, principal.refuse("read the audit log")
	}
	events, total, err := s.repo.AuditEvents(ctx, org, p)
	if err != nil {
		return nil, 0, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return events, total, nil
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
