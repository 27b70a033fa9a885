package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/httpapi/wire"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func listTokens(ctx context.Context, p program) error {
	f := newFlags("token list", "Lists an organization's tokens, newest first, the ended ones too.")
	org := f.String("organization", "", "the organization's `org_…` id")
	status := f.String("status", "all", "status: active, `expiring` (within 7 days), expired, revoked or all")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	picked, err := tokens.ParseFilter(*status)
	if err != nil {
		return f.usagef("--status %v, or all", err)
	}
	if err := f.require("organization"); err != nil {
		return err
	}
	owner, err := parseOrg(*org)
	if err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		all, _, err := s.Tokens(ctx, owner, tokens.Query{Filter: picked})
		if err != nil {
			return err
		}
		usage, err := s.Usage(ctx, owner, tokens.IDs(all)...)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, struct {
				Tokens []wire.Token `json:"tokens"`
			}{wire.NewTokens(all, usage, s.Now())})
		}
		return printTable(p.stdout, all, usage, s.Now())
	})
}

func printTable(out io.Writer, all []tokens.Token, usage map[tokens.TokenID]tokens.Usage, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tSTATUS\tUNTIL\tLAST USED\tOWNER\tPERMISSIONS")
	for _, t := range all {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			t.ID, t.Name, t.Status(now), end(t), lastUsed(usage[t.ID]), owner(t), strings.Join(wire.Permissions(t), " "))
	}
	return w.Flush()
}

// end returns a token's expiry as text.
func end(t tokens.Token) string {
	if t.ExpiresAt.IsZero() {
		return "revoked"
	}
	return t.ExpiresAt.Format(time.RFC3339)
}

// owner describes the owner of a token, and whether that person's role limits it.
func owner(t tokens.Token) string {
	name := cmp.Or(t.Owner.Name, t.Owner.ID, "organization")
	if t.Limited() {
		name += " (limits it)"
	}
	return name
}

func lastUsed(u tokens.Usage) string {
	if u.LastUsedAt.IsZero() {
		return "never"
	}
	return u.LastUsedAt.Format(time.RFC3339)
}
