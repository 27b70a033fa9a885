package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const aboutUpdate = `Changes the given settings of a token. A token that was rotated or
has ended cannot be changed. Gateways apply it within a second, or within ten
if their change stream is down. ID is the token's tok_… id, never the token itself.`

func updateToken(ctx context.Context, p program) error {
	f := newFlags("token update", aboutUpdate, "ID")
	subject := targetFlag(f)
	asJSON := f.Bool("json", false, "print JSON")
	var patch tokens.Patch
	var d tokens.Draft
	f.StringVar(&d.Name, "name", "", "its name")
	draftFlags(f, &d.Permissions, &d.IPAllow, &d.RateLimit)
	expiry := expiryFlags(f, p.now)
	operands, err := f.parse(p.args, p.stdout)
	if err != nil {
		return err
	}
	if err := subject.read(f, operands[0]); err != nil {
		return err
	}
	f.Visit(func(given *flag.Flag) {
		switch given.Name {
		case "name":
			patch.Name = &d.Name
		case "permissions":
			patch.Permissions = &d.Permissions
		case "ip-allow":
			patch.IPAllow = &d.IPAllow
		case "limit", "window-seconds":
			patch.RateLimit = &d.RateLimit
		case "expires-in", "expires-at", "no-expiry":
			d.ExpiresAt = expiry()
			patch.ExpiresAt = &d.ExpiresAt
		}
	})
	if patch == (tokens.Patch{}) {
		return f.usagef("say what is to change")
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		owner, err := subject.owner(ctx, s)
		if err != nil {
			return err
		}
		t, err := s.UpdateToken(ctx, tokens.Operator(), owner, subject.id, patch)
		if err != nil {
			return err
		}
		if *asJSON {
			return printToken(p.stdout, t, s.Now())
		}
		_, err = fmt.Fprintf(p.stdout, "%s %q may %s, until %s\n", t.ID, t.Name, strings.Join(wire.Permissions(t), ", "), end(t))
		return err
	}, config.Peppers, config.AuditKeys)
}

// printToken writes a token for scripts.
func printToken(w io.Writer, t tokens.Token, now time.Time) error {
	return printJSON(w, struct {
		Token wire.Token `json:"token"`
	}{wire.NewToken(t, now)})
}
