package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// target is the token that a command changes.
type target struct {
	ID           tokenID `arg:"" help:"The token's tok_… id, never the token itself."`
	Organization orgID   `placeholder:"ORG" help:"Fail unless the token is of this organization, an org_… id."`
	JSON         bool    `help:"Print JSON."`
}

func (t target) id() tokens.TokenID { return tokens.TokenID(t.ID) }

// organization returns the token's organization, as it was given or as it is.
func (t target) organization(ctx context.Context, s *tokens.Service) (tokens.OrgID, error) {
	if t.Organization != "" {
		return tokens.OrgID(t.Organization), nil
	}
	return s.Owner(ctx, t.id())
}

// change calls do with the token's organization, and prints the changed token
// with what do returns.
func (t target) change(
	ctx context.Context, p program, do func(*tokens.Service, tokens.OrgID) (tokens.Token, string, error),
) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		org, err := t.organization(ctx, s)
		if err != nil {
			return err
		}
		changed, result, err := do(s, org)
		if err != nil {
			return err
		}
		if t.JSON {
			return printJSON(p.stdout, struct {
				Token wire.Token `json:"token"`
			}{wire.NewToken(s, changed)})
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q %s\n", changed.ID, changed.Name, result)
		return err
	})
}
