package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const aboutRevoke = `Revokes a token permanently. Gateways refuse it within a second, or within ten if
their change stream is down. Revoking it again changes nothing. ID is the token's tok_… id, never the
token itself.`

func revokeToken(ctx context.Context, p program) error {
	f := newFlags("token revoke", aboutRevoke, "ID")
	subject := targetFlag(f)
	reason := f.String("reason", "", "reason, for the audit log")
	asJSON := f.Bool("json", false, "print JSON")
	operands, err := f.parse(p.args, p.stdout)
	if err != nil {
		return err
	}
	if err := subject.read(f, operands[0]); err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		owner, err := subject.owner(ctx, s)
		if err != nil {
			return err
		}
		t, err := s.RevokeToken(ctx, tokens.Operator(), owner, subject.id, *reason)
		if err != nil {
			return err
		}
		if *asJSON {
			return printToken(p.stdout, t, s.Now())
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q is revoked since %s\n", t.ID, t.Name, t.RevokedAt.Format(time.RFC3339))
		return err
	}, config.Peppers, config.AuditKeys)
}
