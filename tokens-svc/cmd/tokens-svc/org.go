package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type orgCreate struct {
	Name string       `required:"" help:"Its name."`
	ID   tokens.OrgID `placeholder:"ORG" help:"Its org_… id; generated unless given."`
}

func (c orgCreate) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		o, err := s.CreateOrganization(ctx, tokens.Operator(), cmp.Or(c.ID, tokens.OrgID(publicid.New("org"))), c.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, o.ID)
		return err
	})
}

type auditVerify struct{}

func (auditVerify) Help() string {
	return `Verifies the numbers and the chain of audit logs and finds the first event of each
that was changed, removed or inserted. For each log that is as it was written it
prints the organization or person, the number of its newest event, and that event's hash:

    org_01k9x3v7t2e8sbq4m6n0pacdfg 12:217766006571f9c4…

The exit code is 1 when any log has a fault. The owner of the tables can recompute a
log: compare it with the copy at your collector of audit events.`
}

func (auditVerify) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		logs, err := s.AuditLogs(ctx)
		if err != nil {
			return err
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
