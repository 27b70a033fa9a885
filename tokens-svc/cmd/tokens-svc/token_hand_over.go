package main

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenHandOver struct{ target }

func (tokenHandOver) Help() string {
	return `Makes the organization the owner of a token, permanently. The token then keeps
all its permissions, regardless of the role and
membership of its former owner. token list shows the owners. ID is the
token's tok_… id, never the token itself.`
}

func (c tokenHandOver) Run(ctx context.Context, p program) error {
	return c.change(ctx, p, func(s *tokens.Service, org tokens.OrgID) (tokens.Token, string, error) {
		t, err := s.HandOver(ctx, tokens.Operator(), org, c.id())
		return t, "belongs to " + t.Organization.Name, err
	})
}
