package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type auditVerify struct {
	Organization string `placeholder:"ORG" help:"Only this organization, an org_… id."`
}

func (auditVerify) Help() string {
	return `Verifies the numbers and the chain of audit logs and finds the first event of each
that was changed, removed or inserted. For each log that is as it was written it
prints the organization or person, the number of its newest event, and that event's hash:

    org_01k9x3v7t2e8sbq4m6n0pacdfg 12:217766006571f9c4…

The exit code is 1 when any log has a fault. The owner of the tables can recompute a
log: compare it with the copy at your collector of audit events.`
}

func (c auditVerify) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		logs := []string{c.Organization}
		if c.Organization == "" {
			all, err := s.AuditLogs(ctx)
			if err != nil {
				return err
			}
			logs = all
		}
		var faults []error
		for _, log := range logs {
			head, err := s.VerifyAudit(ctx, log)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			if _, err := fmt.Fprintf(p.stdout, "%s %d:%s\n", log, head.Sequence, head.Hash); err != nil {
				return err
			}
		}
		return errors.Join(faults...)
	})
}
