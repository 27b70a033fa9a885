package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenCreate struct {
	Organization orgID  `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Name         string `required:"" help:"Its name."`
	Environment  string `placeholder:"ENV" help:"live or test, visible in its text; live unless given."`
	JSON         bool   `help:"Print JSON, with the token as member secret."`
	settings
}

func (tokenCreate) Help() string {
	return `Creates a token and prints it. The secret is shown once: the stored value verifies
it but cannot recover it. Standard output is the token and nothing else, so

    TOKEN=$(tokens-svc token create --organization org_… --name ERP --permissions shipments:read)

keeps it off the screen; other output goes to standard error.

The permissions are those of Quayside and of further services, which
"tokens-svc permissions" lists. admin includes all.`
}

func (c tokenCreate) Run(ctx context.Context, p program) error {
	d := tokens.Draft{
		Name: c.Name, Environment: tokens.Environment(c.Environment), Permissions: c.Permissions,
		IPAllow: c.IPAllow, RateLimit: c.rateLimit(),
	}
	d.ExpiresAt, _ = c.expiry(p.now)
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		t, secret, err := s.CreateToken(ctx, tokens.Operator(), tokens.OrgID(c.Organization), d)
		if err != nil {
			return err
		}
		if err := printCreated(p, s, t, secret, c.JSON); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; revoke it and make another: %w", t.ID, err)
		}
		return nil
	}, config.Peppers)
}

// printCreated writes the secret.
func printCreated(p program, s *tokens.Service, t tokens.Token, secret tokens.Secret, asJSON bool) error {
	if asJSON {
		return printJSON(p.stdout, wire.NewCreated(s, t, secret))
	}
	if _, err := fmt.Fprintln(p.stdout, secret.Reveal()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stderr, "%s %q of %s may %s, until %s. It is shown this once.\n",
		t.ID, t.Name, t.Organization.Name, granted(s, t, ", "), end(t))
	return nil
}
