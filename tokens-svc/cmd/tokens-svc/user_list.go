package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

type userList struct {
	Unverified bool `help:"Show only accounts whose address is not verified."`
	JSON       bool `help:"Print JSON."`
}

func (userList) Help() string {
	return `Lists accounts by e-mail address: since when the address is verified and the
account disabled, if it is, and the organizations with the account's roles.

An account that is not verified and belongs to several organizations is from
before accounts had to be verified for that. The person who redeemed an invitation of
the first one may have its password: see user verify.`
}

func (c userList) Run(ctx context.Context, p program) error {
	return withPeople(p, func(s *people.Service) error {
		all, err := s.Users(ctx)
		if err != nil {
			return err
		}
		rows := []userRow{}
		for _, u := range all {
			if !c.Unverified || u.VerifiedAt.IsZero() {
				rows = append(rows, userRow{
					string(u.ID), u.Email, timeOrEmpty(u.VerifiedAt),
					timeOrEmpty(u.DisabledAt), u.Organizations,
				})
			}
		}
		if c.JSON {
			return printJSON(p.stdout, struct {
				Users []userRow `json:"users"`
			}{rows})
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tE-MAIL\tVERIFIED\tDISABLED\tORGANIZATIONS")
		for _, r := range rows {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Email, cmp.Or(r.VerifiedAt, "-"), cmp.Or(r.DisabledAt, "-"),
				strings.Join(r.Organizations, " "))
		}
		return w.Flush()
	})
}

// userRow is an account in the list.
type userRow struct {
	ID            string   `json:"id"`
	Email         string   `json:"email"`
	VerifiedAt    string   `json:"verified_at,omitempty"`
	DisabledAt    string   `json:"disabled_at,omitempty"`
	Organizations []string `json:"organizations"`
}

func timeOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}
