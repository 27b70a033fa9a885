package main

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const aboutRotate = `Creates a successor of a token and prints it once: standard output is the
new token and nothing else. It has the old one's name, permissions, limits and
addresses, and the old one's original lifetime. The old one stays
valid for the overlap, or until its own expiry if that is earlier.
ID is the old token's tok_… id, never the token itself.`

func rotateToken(ctx context.Context, p program) error {
	f := newFlags("token rotate", aboutRotate, "ID")
	subject := targetFlag(f)
	asJSON := f.Bool("json", false, "print JSON, the new token as the member secret of token")
	grace := tokens.DefaultGrace
	f.Func("grace", "overlap, a `duration` such as 12h or 7d, 0 for none; 24h by default", func(text string) (err error) {
		if text == "0" {
			grace = 0
			return nil
		}
		grace, err = parseDuration(text)
		return err
	})
	operands, err := f.parse(p.args, p.stdout)
	if err != nil {
		return err
	}
	if err := subject.read(f, operands[0]); err != nil {
		return err
	}
	if grace > tokens.MaxGrace {
		return f.usagef("--grace may be at most %.0fd", tokens.MaxGrace.Hours()/24)
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		owner, err := subject.owner(ctx, s)
		if err != nil {
			return err
		}
		done, err := s.RotateToken(ctx, tokens.Operator(), owner, subject.id, grace)
		if err != nil {
			return err
		}
		if err := printRotated(p, done, s.Now(), *asJSON); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; rotate it in turn, or revoke it: %w", done.Token.ID, err)
		}
		return nil
	}, config.Peppers, config.AuditKeys)
}

// printRotated writes the new secret, and when the old one ends.
func printRotated(p program, done tokens.Rotation, now time.Time, asJSON bool) error {
	old := done.Previous
	if asJSON {
		return printJSON(p.stdout, wire.NewRotation(done, now))
	}
	if _, err := fmt.Fprintln(p.stdout, done.Secret.Reveal()); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(p.stderr, "%s %q takes the place of %s, which ends %s. It is shown this once.\n",
		done.Token.ID, done.Token.Name, old.ID, old.ExpiresAt.Format(time.RFC3339))
	return nil
}
