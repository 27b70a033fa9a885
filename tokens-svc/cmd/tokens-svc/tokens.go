package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type orgCreate struct {
	Name string       `required:"" help:"Its name."`
	ID   tokens.OrgID `placeholder:"ORG" help:"Its org_… id; generated unless given."`
}

func (c orgCreate) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		id := cmp.Or(c.ID, tokens.OrgID(publicid.New("org")))
		o, err := s.tokens.CreateOrganization(ctx, tokens.Operator(), id, c.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.stdout, o.ID)
		return err
	})
}

type auditVerify struct{}

func (auditVerify) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		logs, err := s.repo.AuditLogs(ctx)
		if err != nil {
			return err
		}
		var faults []error
		for _, log := range logs {
			head, err := s.repo.VerifyAudit(ctx, log)
			if err == nil {
				_, err = fmt.Fprintf(p.stdout, "%s %d:%s\n", log, head.Sequence, head.Hash)
			}
			faults = append(faults, err)
		}
		return errors.Join(faults...)
	})
}

type tokenCreate struct {
	Organization  tokens.OrgID  `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Name          string        `required:"" help:"Its name."`
	Environment   string        `default:"live" help:"live or test, visible in its text."`
	Permissions   []string      `placeholder:"LIST" help:"Permissions, separated by commas."`
	IPAllow       []string      `name:"ip-allow" placeholder:"LIST" help:"Allowed addresses and CIDR ranges."`
	Limit         int           `default:"100" help:"Requests per window."`
	WindowSeconds int           `default:"60" help:"Length of the window in seconds."`
	ExpiresIn     time.Duration `default:"2160h" help:"Lifetime, such as 12h."`
	NoExpiry      bool          `help:"No expiry."`
}

func (c tokenCreate) Run(ctx context.Context, p program) error {
	d := tokens.Draft{
		Name: c.Name, Environment: tokens.Environment(c.Environment), Permissions: c.Permissions, IPAllow: c.IPAllow,
		RateLimit: tokens.RateLimit{Limit: cmp.Or(c.Limit, -1), WindowSeconds: cmp.Or(c.WindowSeconds, -1)},
	}
	if !c.NoExpiry {
		d.ExpiresAt = p.now.Add(c.ExpiresIn)
	}
	return withServices(p, func(s services) error {
		t, secret, err := s.tokens.CreateToken(ctx, tokens.Operator(), c.Organization, d)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(p.stdout, secret.Reveal()); err != nil {
			return fmt.Errorf("token %s was made but could not be printed; revoke it and make another: %w", t.ID, err)
		}
		_, _ = fmt.Fprintf(p.stderr, "%s It is shown this once.\n", s.describe(t))
		return nil
	}, config.Peppers)
}

// describe says what a token may do now, and for whom.
func (s services) describe(t tokens.Token) string {
	until := "for ever"
	if !t.ExpiresAt.IsZero() {
		until = "until " + t.ExpiresAt.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s %q of %s (%s), owner %s, %s, may %s, %s.",
		t.ID, t.Name, t.Organization.Name, t.Organization.ID, cmp.Or(t.Owner.Name, t.Owner.ID, "organization"),
		t.Environment, strings.Join(tokens.Texts(s.tokens.Permissions().Effective(t)), ", "), until)
}

type tokenCheck struct{}

// maxInput is much more than a token, and much less than a mistaken file.
const maxInput = 4 << 10

func (tokenCheck) Run(ctx context.Context, p program) error {
	input, err := io.ReadAll(io.LimitReader(p.stdin, maxInput))
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	text := strings.TrimSpace(string(input))
	if text == "" {
		return errors.New("no token on standard input")
	}
	presented, err := tokens.Parse(text)
	if err != nil {
		return err
	}
	return withServices(p, func(s services) error {
		found, err := s.tokens.Introspect(ctx, presented)
		if err != nil {
			return err
		}
		// Operators see more of a refusal than clients, because they can read the database.
		switch t := found.Token; found.Outcome {
		case tokens.OutcomeActive:
			_, err = fmt.Fprintln(p.stdout, "good:", s.describe(t))
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

func (c tokenRevoke) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		t, err := revoke(ctx, s, c.ID, c.Reason)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q is revoked since %s\n", t.ID, t.Name, t.RevokedAt.Format(time.RFC3339))
		return err
	})
}

// revoke revokes a token of any organization.
func revoke(ctx context.Context, s services, id tokens.TokenID, reason string) (tokens.Token, error) {
	t, err := s.tokens.Find(ctx, id)
	if err != nil {
		return tokens.Token{}, err
	}
	return s.tokens.RevokeToken(ctx, tokens.Operator(), t.Organization.ID, id, reason, false)
}
