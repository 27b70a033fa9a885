package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type userCreate struct {
	Email        string       `required:"" placeholder:"ADDRESS" help:"The e-mail address for sign-in."`
	Organization tokens.OrgID `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Role         string       `required:"" help:"owner, admin, member, reviewer, packer or auditor."`
	Name         string       `help:"Display name."`
}

func (c userCreate) Run(ctx context.Context, p program) error {
	return withServices(p, func(s services) error {
		secret, made, err := readPassword(p)
		if err != nil {
			return err
		}
		u, created, err := s.people.Enroll(ctx, people.Enrolment{
			Organization: c.Organization, Email: c.Email, Name: c.Name, Role: c.Role, Password: secret,
			Temporary: true,
		})
		if errors.Is(err, people.ErrAccountUnverified) {
			return fmt.Errorf("no changes were made: %w.\nSomebody who does not own it may have chosen the account's "+
				"password. If you know the person who owns it, give them a new one with user set-password first",
				people.ErrAccountUnverified)
		}
		if err != nil {
			return err
		}
		account := "the account was there, and its password is unchanged"
		if created {
			account = "the account was made, and its password must be changed at sign-in"
		}
		_, _ = fmt.Fprintf(p.stderr, "%s %s is a member of %s; %s.\n", u.ID, u.Email, c.Organization, account)
		if made && created {
			_, err = fmt.Fprintln(p.stdout, secret)
		}
		return err
	})
}

// readPassword returns the first line of standard input, or a password that it makes when that is empty.
func readPassword(p program) (secret string, made bool, err error) {
	given, err := bufio.NewReader(p.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, fmt.Errorf("read the password: %w", err)
	}
	if secret = strings.TrimRight(given, "\r\n"); secret != "" {
		return secret, false, nil
	}
	return rand.Text(), true, nil
}

// account is the account that a command changes.
type account struct {
	User string `arg:"" help:"The account's e-mail address or its usr_… id."`
}

type userSetPassword struct{ account }

func (c userSetPassword) Run(ctx context.Context, p program) error {
	secret, made, err := readPassword(p)
	if err != nil {
		return err
	}
	err = withUser(ctx, p, c.User, func(s *people.Service, u people.User) (string, error) {
		return "has a new password, which must be changed at sign-in; all its sessions have ended",
			s.SetPassword(ctx, u, secret)
	})
	if err == nil && made {
		_, err = fmt.Fprintln(p.stdout, secret)
	}
	return err
}

type userRemoveFactors struct{ account }

func (c userRemoveFactors) Run(ctx context.Context, p program) error {
	return withUser(ctx, p, c.User, func(s *people.Service, u people.User) (string, error) {
		return "has no authenticator app and no passkeys; all its sessions have ended", s.RemoveFactors(ctx, u)
	})
}

type userDisable struct {
	account

	Reason string `help:"Reason, for the audit log."`
}

func (c userDisable) Run(ctx context.Context, p program) error {
	return withUser(ctx, p, c.User, func(s *people.Service, u people.User) (string, error) {
		err := s.Disable(ctx, u, c.Reason)
		if errors.Is(err, people.ErrLastOwner) {
			err = fmt.Errorf("no changes were made: %w; make another one first with user create", err)
		}
		return "is disabled; all its sessions have ended", err
	})
}

type userEnable struct{ account }

func (c userEnable) Run(ctx context.Context, p program) error {
	return withUser(ctx, p, c.User, func(s *people.Service, u people.User) (string, error) {
		return "is enabled", s.Enable(ctx, u)
	})
}

type userUnlink struct{ account }

func (c userUnlink) Run(ctx context.Context, p program) error {
	return withUser(ctx, p, c.User, func(s *people.Service, u people.User) (string, error) {
		done, err := s.Unlink(ctx, u)
		if !done {
			return "is linked to no issuer; nothing was changed", err
		}
		return "is linked to no issuer any more and keeps its memberships; all its sessions have ended", err
	})
}

// withUser calls do with the named account and writes a confirmation to standard error.
func withUser(
	ctx context.Context, p program, name string, do func(*people.Service, people.User) (done string, err error),
) error {
	return withServices(p, func(s services) error {
		u, err := s.people.Find(ctx, name)
		if errors.Is(err, tokens.ErrNotFound) {
			return fmt.Errorf("there is no account %q; give its e-mail address or its usr_… id", name)
		}
		if err != nil {
			return err
		}
		done, err := do(s.people, u.User)
		if err == nil {
			_, _ = fmt.Fprintf(p.stderr, "%s %s %s.\n", u.ID, u.Email, done)
		}
		return err
	})
}
