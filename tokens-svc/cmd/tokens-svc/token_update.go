package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenUpdate struct {
	target

	Name           *string `help:"Its name."`
	OfOrganization bool    `help:"Make the organization the owner, permanently: no person's role or membership limits it."`
	settings
}

func (tokenUpdate) Help() string {
	return `Changes the given settings of a token. A token that was rotated or
has ended cannot be changed. Gateways apply it within a second, or within ten
if their change stream is down. ID is the token's tok_… id, never the token itself.`
}

func (c tokenUpdate) Run(ctx context.Context, p program) error {
	patch := tokens.Patch{Name: c.Name, OfOrganization: c.OfOrganization}
	if c.Permissions != nil {
		patch.Permissions = (*[]string)(&c.Permissions)
	}
	if c.IPAllow != nil {
		patch.IPAllow = (*[]string)(&c.IPAllow)
	}
	if limit := c.rateLimit(); limit != (tokens.RateLimit{}) {
		patch.RateLimit = &limit
	}
	if end, given := c.expiry(p.now); given {
		patch.ExpiresAt = &end
	}
	if patch == (tokens.Patch{}) {
		return usagef("nothing to change: give at least one setting")
	}
	return c.change(ctx, p, func(s *tokens.Service, org tokens.OrgID) (tokens.Token, string, error) {
		t, err := s.UpdateToken(ctx, tokens.Operator(), org, c.id(), patch)
		return t, fmt.Sprintf("may %s, until %s", granted(s, t, ", "), end(t)), err
	})
}
