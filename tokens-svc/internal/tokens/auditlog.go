package tokens

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// AuditEvents returns a page of the organization's audit log, newest first, of one
// action or, with "", of all, and how many such events it has. It gives ErrNotFound
// when there is no such organization, and ErrForbidden.
func (s *Service) AuditEvents(
	ctx context.Context, principal Principal, org OrgID, action audit.Action, p Page,
) ([]audit.Event, int, error) {
	if !principal.MayReadAudit() {
		return nil, 0, principal.refuse("read the audit log")
	}
	events, total, err := s.repo.AuditEvents(ctx, org, action, p)
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

// AuditLogs returns the ids of all audit logs: of organizations and of people.
func (s *Service) AuditLogs(ctx context.Context) ([]string, error) {
	all, err := s.repo.AuditLogs(ctx)
	if err != nil {
		return nil, fmt.Errorf("list audit logs: %w", err)
	}
	return all, nil
}

// VerifyAudit checks the numbers and the chain of a whole audit log and returns
// its head. It gives an *audit.Fault for the first event that does not match, and
// ErrNotFound when there is no such log.
func (s *Service) VerifyAudit(ctx context.Context, log string) (audit.Head, error) {
	head, err := s.repo.VerifyAudit(ctx, log)
	if err != nil {
		return head, fmt.Errorf("audit log of %s: %w", log, err)
	}
	return head, nil
}
