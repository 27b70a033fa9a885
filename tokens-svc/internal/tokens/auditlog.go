package tokens

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// AuditEvents returns a page of the organization's audit log, newest first, of one
// action or, with "", of all, and how many such events it has. It gives ErrNotFound
// when there is no such organization, and ErrForbidden.
func (s *Service) AuditEvents(ctx context.Context, principal Principal, org OrgID, action audit.Action, p Page) ([]audit.Event, int, error) {
	if !principal.MayReadAudit() {
		return nil, 0, principal.refuse("read the audit log")
	}
	events, total, err := s.repo.AuditEvents(ctx, org, action, p)
	if err != nil {
		return nil, 0, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return events, total, nil
}

// VerifyAudit checks the organization's whole audit log, also against heads that were
// written down before, and returns its head.
// It gives an *audit.Fault for the first event that does not match what was
// written, and ErrNotFound when there is no such organization.
func (s *Service) VerifyAudit(ctx context.Context, org OrgID, known ...audit.Head) (audit.Head, error) {
	head, err := s.repo.VerifyAudit(ctx, org, known...)
	if err != nil {
		return head, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return head, nil
}

// AnchorAudit protects a log from before there were keys: it appends
// audit.LogAnchored under a key to a log that ends with an event without one, and
// leaves every other log alone. It gives ErrNotFound when there is no such
// organization. It is for operators.
func (s *Service) AnchorAudit(ctx context.Context, org OrgID) (anchored bool, err error) {
	e := audit.Entry{At: s.Now(), Actor: audit.CommandLine, Action: audit.LogAnchored, Target: string(org)}
	if anchored, err = s.repo.AnchorAudit(ctx, org, e); err != nil {
		return false, fmt.Errorf("audit log of organization %s: %w", org, err)
	}
	return anchored, nil
}

// AuditHeads returns the head of every organization's audit log, to be kept
// outside the database. It is for operators.
func (s *Service) AuditHeads(ctx context.Context) ([]audit.Head, error) {
	heads, err := s.repo.AuditHeads(ctx)
	if err != nil {
		return nil, fmt.Errorf("heads of the audit logs: %w", err)
	}
	return heads, nil
}
