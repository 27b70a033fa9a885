package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/config"
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

type permissions struct{}

func (permissions) Help() string {
	return `Lists the permissions that tokens can be granted: the built-in ones and those of
further services, which SERVICE_PERMISSIONS names.`
}

func (permissions) Run(p program) error {
	cfg, err := config.Load(p.environ, config.Permissions)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, permission := range cfg.Catalogue.All() {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", permission, cfg.Catalogue.Text(permission))
	}
	return table.Flush()
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
