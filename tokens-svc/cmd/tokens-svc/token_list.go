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

type tokenList struct {
	Organization orgID  `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Status       string `default:"all" help:"active, expiring (within 7 days), expired, revoked or all."`
	JSON         bool   `help:"Print JSON."`
}

func (c tokenList) Run(ctx context.Context, p program) error {
	filter, err := tokens.ParseFilter(c.Status)
	if err != nil {
		return usagef("--status %v, or all", err)
	}
	owner := tokens.OrgID(c.Organization)
	return withService(ctx, p, func(ctx context.Context, s *tokens.Service) error {
		all, _, err := s.Tokens(ctx, owner, tokens.Query{Filter: filter})
		if err != nil {
			return err
		}
		usage, err := s.Usage(ctx, owner, tokens.IDs(all)...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(p.stdout, struct {
				Tokens []wire.Token `json:"tokens"`
			}{wire.NewTokens(s, all, usage)})
		}
		return printTable(p.stdout, s, all, usage)
	})
}

func printTable(out io.Writer, s *tokens.Service, all []tokens.Token, usage map[tokens.TokenID]tokens.Usage) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tSTATUS\tUNTIL\tLAST USED\tOWNER\tPERMISSIONS")
	for _, t := range all {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			t.ID, t.Name, t.Status(s.Now()), end(t), lastUsed(usage[t.ID]), owner(s, t), granted(s, t, " "))
	}
	return w.Flush()
}

// granted returns everything that a token was granted.
func granted(s *tokens.Service, t tokens.Token, separator string) string {
	return strings.Join(tokens.Texts(s.Permissions().Expand(t.Permissions)), separator)
}

// end returns a token's expiry as text.
func end(t tokens.Token) string {
	if t.ExpiresAt.IsZero() {
		return "no end"
	}
	return t.ExpiresAt.Format(time.RFC3339)
}

// owner describes the owner of a token, and whether that person's role limits it.
func owner(s *tokens.Service, t tokens.Token) string {
	name := cmp.Or(t.Owner.Name, t.Owner.ID, "organization")
	if s.Permissions().Limited(t) {
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
