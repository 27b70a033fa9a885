package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type accessList struct {
	Digest bool `help:"Print only a digest, without reading tokens: after each change it is another one."`
}

func (c accessList) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		if c.Digest {
			digest, err := s.repo.AccessDigest(ctx)
			if err == nil {
				_, err = fmt.Fprintln(p.stdout, digest)
			}
			return err
		}
		grants, err := s.repo.Access(ctx)
		for _, g := range grants {
			_, _ = fmt.Fprintln(p.stdout, g.Kind, g.Key, g.Value) // a list that breaks off is refused
		}
		return err
	})
}

type accessWithdraw struct {
	All bool `help:"Read no list: withdraw every token and sign-in with a password. Memberships stay."`
}

const (
	// restored is the reason in audit logs.
	restored = "the database was restored to a state before the last change"
	// withdrawing ends the name of the operator there.
	withdrawing = ", access withdraw"
)

func (c accessWithdraw) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		audit.CommandLine.Name += withdrawing
		own, err := s.repo.EventsSince(ctx, withdrawing)
		if err != nil {
			return err
		}
		grants, err := s.repo.Access(ctx)
		if err != nil {
			return err
		}
		newest := map[string]string{} // the values of grants, by kind and key
		if c.All {
			for _, g := range grants {
				if g.Kind != "token" && g.Kind != "sign-in" {
					newest[g.Kind+" "+g.Key] = g.Value
				}
			}
		} else if newest, err = readGrants(p.stdin, grants[len(grants)-1].Value, own); err != nil {
			return fmt.Errorf("%w; nothing was withdrawn", err)
		}
		for _, g := range grants {
			value := newest[g.Kind+" "+g.Key]
			user, _, _ := strings.Cut(g.Key, "/")
			if g.Kind == "member" && g.Value == string(tokens.RoleOwner) && newest["account "+user] == "" {
				value = "" // the last owner of an organization cannot be disabled
			}
			if value == g.Value || g.Kind == postgres.End {
				continue
			}
			if err := withdraw(ctx, p, s, g, value); err != nil {
				return fmt.Errorf("withdraw %s %s: %w", g.Kind, g.Key, err)
			}
		}
		return nil
	})
}

// readGrants returns what access list printed. A list that is not whole, or has fewer events than this database had
// before a run that ended early made its own, is refused.
func readGrants(in io.Reader, here string, own int64) (map[string]string, error) {
	grants, last := map[string]string{}, []string{"", "", ""}
	for lines := bufio.NewScanner(in); lines.Scan(); grants[last[0]+" "+last[1]] = last[2] {
		if ended := last[0] == postgres.End; ended || len(strings.Fields(lines.Text())) != len(last) {
			return nil, fmt.Errorf("%q is no line of a list of access", lines.Text())
		}
		last = strings.Fields(lines.Text())
	}
	if last[0] != postgres.End {
		return nil, errors.New("the list of access is not complete")
	}
	events, err1 := strconv.ParseInt(last[2], 10, 64)
	least, err2 := strconv.ParseInt(here, 10, 64)
	if err1 != nil || err2 != nil || events < least-own {
		return nil, fmt.Errorf("the list of access ends at event %s, before %s of this database", last[2], here)
	}
	return grants, nil
}

// withdraw takes back a grant that is another one in the newest state, or "" if that has none, and prints that.
func withdraw(ctx context.Context, p program, s services, g postgres.Access, newest string) error {
	id, org, _ := strings.Cut(g.Key, "/")
	user, err := s.people.User(ctx, people.UserID(id))
	if err != nil && g.Kind != "token" {
		return err
	}
	var done string
	switch role := tokens.Role(newest); {
	case g.Kind == "token":
		done = "is revoked"
		_, err = revoke(ctx, s, tokens.TokenID(id), restored)
	case g.Kind == "account":
		done = "is disabled"
		err = s.people.Disable(ctx, user, restored)
	case g.Kind == "identity":
		done = "is linked to no issuer"
		_, err = s.people.Unlink(ctx, user)
	case g.Kind == "sign-in":
		done = "must reset the password, and has no authenticator app and no passkeys"
		err = s.people.ForgetSignIn(ctx, user, restored)
	case role == "":
		done = "is no member of " + org + " any more, and was " + g.Value
		err = s.people.Remove(ctx, tokens.Operator(), tokens.OrgID(org), user.ID)
	case role == tokens.RoleOwner || role == tokens.RoleAdmin && g.Value != string(tokens.RoleOwner):
		done = "stays " + g.Value + " of " + org + ", and became " + newest // which the restore may be meant to undo
	default:
		done = "is " + newest + " of " + org + ", and was " + g.Value
		err = s.people.ChangeRole(ctx, tokens.Operator(), tokens.OrgID(org), user.ID, newest)
	}
	if err == nil {
		_, err = fmt.Fprintln(p.stdout, strings.TrimSpace(id+" "+user.Email), done)
	}
	return err
}
