package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type tokenCheck struct {
	JSON bool `help:"Print JSON, also for an invalid token."`
}

func (tokenCheck) Help() string {
	return `Reads a token from standard input and shows whether it is valid, its organization
and its permissions. The exit code is 0 for a valid token and 1 for any other. The
token is never an argument, where other users would see it, and never printed:

    tokens-svc token check < token.txt`
}

// maxInput is much more than a token, and much less than a mistaken file.
const maxInput = 4 << 10

func (c tokenCheck) Run(ctx context.Context, p program) error {
	input, err := io.ReadAll(io.LimitReader(p.stdin, maxInput))
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	text := strings.TrimSpace(string(input))
	if text == "" {
		return usagef("no token on standard input")
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		presented, malformed := tokens.Parse(text)
		found, err := s.Introspect(ctx, presented)
		if err != nil {
			return err
		}
		if c.JSON {
			err = printJSON(p.stdout, newChecked(s, found))
		} else if found.Outcome == tokens.OutcomeActive {
			err = printGood(p.stdout, s, found.Token)
		}
		return errors.Join(err, refusal(found, malformed))
	}, config.Peppers)
}

// refusal returns the reason why a token is invalid, nil for a valid one. Operators
// see more than clients, because they can read the database.
func refusal(found tokens.Introspection, malformed error) error {
	t := found.Token
	switch found.Outcome {
	case tokens.OutcomeActive:
		return nil
	case tokens.OutcomeMalformed:
		return malformed
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
}

// checked is the answer for scripts. As in an introspection, why a token is not
// valid is disclosed only to holders of the secret.
type checked struct {
	Active bool        `json:"active"`
	Reason string      `json:"reason,omitempty"`
	Token  *wire.Token `json:"token,omitempty"`
}

func newChecked(s *tokens.Service, found tokens.Introspection) checked {
	v := checked{Active: found.Outcome == tokens.OutcomeActive, Reason: found.Reason()}
	if v.Active || v.Reason != "" {
		t := wire.NewToken(s, found.Token)
		v.Token = &t
	}
	return v
}

func printGood(w io.Writer, s *tokens.Service, t tokens.Token) error {
	_, err := fmt.Fprintf(w,
		"good\nid:           %s\nname:         %s\norganization: %s (%s)\nowner:        %s\nenvironment:  "+
			"%s\npermissions:  %s\nuntil:        %s\n",
		t.ID, t.Name, t.Organization.ID, t.Organization.Name, owner(s, t), t.Environment,
		strings.Join(tokens.Texts(s.Permissions().Effective(t)), " "), end(t))
	return err
}
