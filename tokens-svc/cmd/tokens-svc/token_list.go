package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/wire"
)

func listTokens(ctx context.Context, p program) error {
	f := newFlags("token list", "Lists an organization's tokens, newest first, the ended ones too.")
	org := f.String("organization", "", "the organization's `org_…` id")
	asJSON := f.Bool("json", false, "print JSON")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	if err := f.require("organization"); err != nil {
		return err
	}
	owner, err := parseOrg(*org)
	if err != nil {
		return err
	}
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		all, err := s.Tokens(ctx, owner)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(p.stdout, newTokenList(all, s.Now()))
		}
		return printTable(p.stdout, all, s.Now())
	})
}

type tokenList struct {
	Tokens []wire.Token `json:"tokens"`
}

func newTokenList(all []tokens.Token, now time.Time) tokenList {
	shown := tokenList{Tokens: make([]wire.Token, len(all))}
	for i, t := range all {
		shown.Tokens[i] = wire.NewToken(t, t.Status(now))
	}
	return shown
}

func printTable(out io.Writer, all []tokens.Token, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tSTATUS\tUNTIL\tPERMISSIONS")
	for _, t := range all {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n",
			t.ID, t.Name, t.Status(now), end(t), strings.Join(wire.Permissions(t), " "))
	}
	return w.Flush()
}

// end says until when a token is good, should nobody revoke it before.
func end(t tokens.Token) string {
	if t.ExpiresAt.IsZero() {
		return "revoked"
	}
	return t.ExpiresAt.Format(time.RFC3339)
}
