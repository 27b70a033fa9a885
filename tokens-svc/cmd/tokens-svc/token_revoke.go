package main

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/wire"
)

const aboutRevoke = `Ends a token for good. Gateways that know it let it pass for up to 10 seconds
more. Revoking it again changes nothing. ID is the token's tok_… id, never the
token itself.`

var tokenID = regexp.MustCompile(`^tok_[0-9A-Za-z]{12}$`)

func revokeToken(ctx context.Context, p program) error {
	f := newFlags("token revoke", aboutRevoke, "ID")
	org := f.String("organization", "", "the `org_…` id of its organization, to be sure; found out if left out")
	reason := f.String("reason", "", "why, for those who ask later")
	asJSON := f.Bool("json", false, "print JSON")
	operands, err := f.parse(p.args, p.stdout)
	if err != nil {
		return err
	}
	id := tokens.TokenID(operands[0])
	if !tokenID.MatchString(operands[0]) {
		return f.usagef("%q is no token's id: it has tok_ and 12 characters, as token list prints it", operands[0])
	}
	var owner tokens.OrgID
	if *org != "" {
		if owner, err = parseOrg(*org); err != nil {
			return err
		}
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		if owner == "" {
			if owner, err = s.Owner(ctx, id); err != nil {
				return err
			}
		}
		t, err := s.RevokeToken(ctx, tokens.Operator(), owner, id, *reason)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, struct {
				Token wire.Token `json:"token"`
			}{wire.NewToken(t, t.Status(s.Now()))})
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q is revoked since %s\n", t.ID, t.Name, t.RevokedAt.Format(time.RFC3339))
		return err
	})
}
