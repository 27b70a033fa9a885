package main

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenRevoke struct {
	target

	Reason string `help:"Reason, for the audit log."`
}

func (tokenRevoke) Help() string {
	return `Revokes a token permanently. Gateways refuse it within a second, or within ten if
their change stream is down. Revoking it again changes nothing. ID is the token's tok_… id, never the
token itself.`
}

func (c tokenRevoke) Run(ctx context.Context, p program) error {
	return c.change(ctx, p, func(s *tokens.Service, org tokens.OrgID) (tokens.Token, string, error) {
		t, err := s.RevokeToken(ctx, tokens.Operator(), org, c.id(), c.Reason)
		return t, "is revoked since " + t.RevokedAt.Format(time.RFC3339), err
	})
}
