package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenRotate struct {
	target

	Grace grace `default:"24h" help:"Overlap, such as 12h or 7d; 0 for none."`
}

// grace is a duration, or 0.
type grace duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *grace) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		return nil
	}
	return (*duration)(g).UnmarshalText(text)
}

func (tokenRotate) Help() string {
	return `Creates a successor of a token and prints it once: standard output is the
new token and nothing else. It has the old one's name, permissions, limits and
addresses, and the old one's original lifetime. The old one stays
valid for the overlap, or until its own expiry if that is earlier.
ID is the old token's tok_… id, never the token itself.`
}

func (c tokenRotate) Run(ctx context.Context, p program) error {
	if c.Grace > grace(tokens.MaxGrace) {
		return usagef("--grace may be at most %.0fd", tokens.MaxGrace.Hours()/24)
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		org, err := c.organization(ctx, s)
		if err != nil {
			return err
		}
		done, err := s.RotateToken(ctx, tokens.Operator(), org, c.id(), time.Duration(c.Grace))
		if err != nil {
			return err
		}
		if err := printRotated(p, s, done, c.JSON); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; rotate it in turn, or revoke it: %w", done.Token.ID,
				err)
		}
		return nil
	}, config.Peppers)
}

// printRotated writes the new secret, and when the old one ends.
func printRotated(p program, s *tokens.Service, done tokens.Rotation, asJSON bool) error {
	old := done.Previous
	if asJSON {
		return printJSON(p.stdout, wire.NewRotation(s, done))
	}
	if _, err := fmt.Fprintln(p.stdout, done.Secret.Reveal()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stderr, "%s %q takes the place of %s, which ends %s. It is shown this once.\n",
		done.Token.ID, done.Token.Name, old.ID, old.ExpiresAt.Format(time.RFC3339))
	return nil
}
