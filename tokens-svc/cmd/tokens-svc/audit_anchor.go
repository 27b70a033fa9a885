package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type auditAnchor struct {
	Organization orgID `placeholder:"ORG" help:"Only this organization, an org_… id."`
}

func (auditAnchor) Help() string {
	return `Protects audit logs that an earlier version wrote without keys: appends an event
audit.anchored, under the primary key of AUDIT_KEYS, to every log that ends with an
event without a key, and prints the organizations of those logs.

Run it once, at the upgrade, when no earlier version writes any more. Before it,
check the logs with audit verify of the earlier version, against heads that were
kept: what is in a log at that time counts as genuine from then on. A log that needs
it later was rewritten, or was written to by an earlier version.`
}

func (c auditAnchor) Run(ctx context.Context, p program) error {
	var only []tokens.OrgID
	if c.Organization != "" {
		only = append(only, tokens.OrgID(c.Organization))
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		if len(only) == 0 {
			heads, err := s.AuditHeads(ctx)
			if err != nil {
				return err
			}
			for _, h := range heads {
				if h.Unanchored() {
					only = append(only, tokens.OrgID(h.Organization))
				}
			}
		}
		var errs []error
		for _, org := range only {
			anchored, err := s.AnchorAudit(ctx, org)
			if err == nil && anchored {
				_, err = fmt.Fprintln(p.stdout, org)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	}, config.AuditKeys)
}

// errUnanchored is why a program that was upgraded is not ready.
var errUnanchored = errors.New("audit logs are not anchored: run tokens-svc audit anchor")

// anchoredOnce returns a check that fails until all audit logs were anchored
// once. Afterwards a log that is not is a fault of that log alone: appending to
// it fails, and audit verify names it.
func anchoredOnce(anchored func(context.Context) (bool, error)) func(context.Context) error {
	var once atomic.Bool
	return func(ctx context.Context) error {
		if once.Load() {
			return nil
		}
		ok, err := anchored(ctx)
		switch {
		case err != nil:
			return err
		case !ok:
			return errUnanchored
		}
		once.Store(true)
		return nil
	}
}
