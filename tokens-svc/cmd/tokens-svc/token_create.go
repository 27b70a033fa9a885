package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const aboutCreate = `Creates a token and prints it. The secret is shown once: the stored value verifies
it but cannot recover it. Standard output is the token and nothing else, so

    TOKEN=$(tokens-svc token create --organization org_… --name ERP --permissions shipments:read)

keeps it off the screen; other output goes to standard error.

The permissions are those of Quayside and of further services, which
"tokens-svc permissions" lists. admin includes all.`

func createToken(ctx context.Context, p program) error {
	f := newFlags("token create", aboutCreate)
	org := f.String("organization", "", "the organization's `org_…` id")
	asJSON := f.Bool("json", false, "print JSON, the token as its member secret")
	var d tokens.Draft
	f.StringVar(&d.Name, "name", "", "its name")
	f.StringVar((*string)(&d.Environment), "environment", "", "`live` or test, visible in its text; live if left out")
	draftFlags(f, &d.Permissions, &d.IPAllow, &d.RateLimit)
	expiry := expiryFlags(f, p.now)
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	if err := f.require("organization", "name"); err != nil {
		return err
	}
	owner, err := parseOrg(*org)
	if err != nil {
		return err
	}
	d.ExpiresAt = expiry()
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		t, secret, err := s.CreateToken(ctx, tokens.Operator(), owner, d)
		if err != nil {
			return err
		}
		if err := printCreated(p, t, secret, s.Now(), *asJSON); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; revoke it and make another: %w", t.ID, err)
		}
		return nil
	}, config.Peppers, config.AuditKeys)
}

// printCreated writes the secret.
func printCreated(p program, t tokens.Token, secret tokens.Secret, now time.Time, asJSON bool) error {
	if asJSON {
		return printJSON(p.stdout, wire.NewCreated(t, secret, now))
	}
	if _, err := fmt.Fprintln(p.stdout, secret.Reveal()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stderr, "%s %q of %s may %s, until %s. It is shown this once.\n",
		t.ID, t.Name, t.Organization.Name, strings.Join(wire.Permissions(t), ", "), end(t))
	return nil
}
