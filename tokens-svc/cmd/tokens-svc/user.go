package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type userCreate struct {
	Email        string       `required:"" placeholder:"ADDRESS" help:"The e-mail address for sign-in."`
	Organization tokens.OrgID `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Role         string       `required:"" help:"owner, admin, member, reviewer, packer or auditor."`
	Name         string       `help:"Display name."`
}

func (userCreate) Help() string {
	return `Makes a person a member of an organization, and creates their account unless
it exists: then its password and its name stay, as does the role of an
existing membership. Running it again changes nothing.

The password of a new account is the first line of standard input. If that is
empty, a password is generated and printed on standard output:

    PASSWORD=$(tokens-svc user create --email anna@acme.example --organization org_… --role owner </dev/null)

A new account counts as verified: give its password only to the person who owns
the e-mail address. An account that an invitation created does not, because another
person may have chosen its password: it is refused here until "user set-password"
has given it a new one.`
}

func (c userCreate) Run(ctx context.Context, p program) error {
	return withPeople(p, func(service *people.Service) error {
		secret, made, err := readPassword(p)
		if err != nil {
			return err
		}
		admitted, err := service.Enroll(ctx, people.Enrolment{
			Organization: c.Organization, Email: c.Email, Name: c.Name, Role: c.Role, Password: secret,
		})
		if errors.Is(err, people.ErrAccountUnverified) {
			return fmt.Errorf("no changes were made: %w.\nSomebody who does not own it may have chosen the account's password. "+
				"If you know the person who owns it, give them a new one with user set-password first",
				people.ErrAccountUnverified)
		}
		if err != nil {
			return err
		}
		account := "the account was there, and its password is unchanged"
		if admitted.Made {
			account = "the account was made"
		}
		_, _ = fmt.Fprintf(p.stderr, "%s %s is a member of %s; %s.\n", admitted.ID, admitted.Email, c.Organization, account)
		if made && admitted.Made {
			_, err = fmt.Fprintln(p.stdout, secret)
		}
		return err
	})
}

// withPeople calls do with a service over the configured database.
func withPeople(p program, do func(*people.Service) error, needs ...config.Need) error {
	return withDatabase(p, func(_ config.Config, db *sqlx.DB) error {
		return do(people.NewService(postgres.NewPeople(db), people.Config{
			Passwords: password.New(password.Default), NewID: publicid.New, Now: func() time.Time { return p.now },
		}))
	}, needs...)
}

// readPassword returns the first line of standard input, or a password that it
// makes when that is empty.
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
