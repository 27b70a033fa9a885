package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenCreate struct {
	Organization  tokens.OrgID  `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Name          string        `required:"" help:"Its name."`
	Environment   string        `default:"live" help:"live or test, visible in its text."`
	Permissions   []string      `placeholder:"LIST" help:"Permissions, separated by commas."`
	IPAllow       []string      `name:"ip-allow" placeholder:"LIST" help:"Allowed addresses and CIDR ranges."`
	Limit         int           `placeholder:"N" help:"Requests per window, 100 by default."`
	WindowSeconds int           `placeholder:"N" help:"Length of the window in seconds, 60 by default."`
	ExpiresIn     time.Duration `default:"2160h" help:"Lifetime, such as 12h."`
	NoExpiry      bool          `help:"No expiry."`
}

func (tokenCreate) Help() string {
	return `Creates a token and prints it. The secret is shown once: the stored value verifies
it but cannot recover it. Standard output is the token and nothing else, so

    TOKEN=$(tokens-svc token create --organization org_… --name ERP --permissions shipments:read)

keeps it off the screen; other output goes to standard error.

The permissions are those of Quayside and of further services. admin includes all.`
}

func (c tokenCreate) Run(ctx context.Context, p program) error {
	d := tokens.Draft{
		Name: c.Name, Environment: tokens.Environment(c.Environment), Permissions: c.Permissions, IPAllow: c.IPAllow,
		RateLimit: tokens.RateLimit{Limit: c.Limit, Window: time.Duration(c.WindowSeconds) * time.Second},
	}
	if !c.NoExpiry {
		d.ExpiresAt = p.now.Add(c.ExpiresIn)
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		t, secret, err := s.CreateToken(ctx, tokens.Operator(), c.Organization, d)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(p.stdout, secret.Reveal()); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; revoke it and make another: %w", t.ID, err)
		}
		_, _ = fmt.Fprintf(p.stderr, "%s %q of %s may %s, until %s. It is shown this once.\n",
			t.ID, t.Name, t.Organization.Name, strings.Join(tokens.Texts(s.Permissions().Expand(t.Permissions)), ", "), until(t))
		return nil
	}, config.Peppers)
}

// until returns when a token expires.
func until(t tokens.Token) string {
	if t.ExpiresAt.IsZero() {
		return "no end"
	}
	return t.ExpiresAt.Format(time.RFC3339)
}

type tokenCheck struct{}

func (tokenCheck) Help() string {
	return `Reads a token from standard input and shows whether it is valid, its organization
and its permissions. The exit code is 0 for a valid token and 1 for any other. The
token is never an argument, where other users would see it, and never printed:

    tokens-svc token check < token.txt`
}

// maxInput is much more than a token, and much less than a mistaken file.
const maxInput = 4 << 10

func (tokenCheck) Run(ctx context.Context, p program) error {
	input, err := io.ReadAll(io.LimitReader(p.stdin, maxInput))
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	text := strings.TrimSpace(string(input))
	if text == "" {
		return usagef("no token on standard input")
	}
	presented, err := tokens.Parse(text)
	if err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		found, err := s.Introspect(ctx, presented)
		if err != nil {
			return err
		}
		// Operators see more of a refusal than clients, because they can read the database.
		switch t := found.Token; found.Outcome {
		case tokens.OutcomeActive:
			_, err = fmt.Fprintf(p.stdout, "good\nid:           %s\nname:         %s\norganization: %s (%s)\n"+
				"owner:        %s\nenvironment:  %s\npermissions:  %s\nuntil:        %s\n",
				t.ID, t.Name, t.Organization.ID, t.Organization.Name, cmp.Or(t.Owner.Name, t.Owner.ID, "organization"),
				t.Environment, strings.Join(tokens.Texts(s.Permissions().Effective(t)), " "), until(t))
			return err
		case tokens.OutcomeExpired:
			return fmt.Errorf("not good: %s expired at %s", t.ID, t.ExpiresAt.Format(time.RFC3339))
		case tokens.OutcomeRevoked:
			return fmt.Errorf("not good: %s was revoked at %s (reason: %q)", t.ID,
				t.RevokedAt.Format(time.RFC3339), t.RevokedReason)
		case tokens.OutcomeMismatch:
			return fmt.Errorf("not good: %s exists, but with another secret", found.ID)
		default:
			return fmt.Errorf("not good: there is no %s here", found.ID)
		}
	}, config.Peppers)
}

type tokenRevoke struct {
	ID     tokens.TokenID `arg:"" help:"The token's tok_… id, never the token itself."`
	Reason string         `help:"Reason, for the audit log."`
}

func (tokenRevoke) Help() string {
	return `Revokes a token permanently. Gateways refuse it within a second, or within ten if
their change stream is down. Revoking it again changes nothing.`
}

func (c tokenRevoke) Run(ctx context.Context, p program) error {
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		t, err := revoke(ctx, s, c.ID, c.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q is revoked since %s\n", t.ID, t.Name, t.RevokedAt.Format(time.RFC3339))
		return err
	})
}

// revoke revokes a token of any organization.
func revoke(ctx context.Context, s *tokens.Service, id tokens.TokenID, reason string) (tokens.Token, error) {
	t, err := s.Find(ctx, id)
	if err != nil {
		return tokens.Token{}, err
	}
	return s.RevokeToken(ctx, tokens.Operator(), t.Organization.ID, id, reason, false)
}
