package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const aboutHandOver = `Makes the organization the owner of a token, permanently. The token then keeps
all its permissions, regardless of the role and
membership of its former owner. token list shows the owners. ID is the
token's tok_… id, never the token itself.`

func handOverToken(ctx context.Context, p program) error {
	f := newFlags("token hand-over", aboutHandOver, "ID")
	subject := targetFlag(f)
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
		t, err := s.HandOver(ctx, tokens.Operator(), owner, subject.id)
		if err != nil {
			return err
		}
		if *asJSON {
			return printToken(p.stdout, t, s.Now())
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q belongs to %s\n", t.ID, t.Name, t.Organization.Name)
		return err
	}, config.Peppers, config.AuditKeys)
}
