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
	Email          string `required:"" placeholder:"ADDRESS" help:"The e-mail address for sign-in."`
	Organization   orgID  `required:"" placeholder:"ORG" help:"The organization's org_… id."`
	Role           string `required:"" help:"owner, admin, member, reviewer, packer or auditor."`
	Name           string `help:"Display name."`
	AssumeVerified bool   `help:"Give an unverified account a new password, and end its old one and its sessions."`
}

func (userCreate) Help() string {
	return `Makes a person a member of an organization, and creates their account unless
it exists: then its password and its name stay, as does the role of an
existing membership. Running it again changes nothing.

The password of a new account is the first line of standard input. If that is
empty, a password is generated and printed on standard output:

    PASSWORD=$(tokens-svc user create --email anna@acme.example --organization org_… --role owner </dev/null)

A new account counts as verified: give its password only to the person who owns
the e-mail address. An account that an invitation created does not: another
person may have chosen its password. It is refused here unless you give
--assume-verified, which states that you know the person who owns the address.
Then the account's password and sessions end. Give the new password, from
standard input or generated, to that person, who must change it at sign-in.

Roles: owner, admin, member, reviewer, packer, auditor.`
}

func (c userCreate) Run(ctx context.Context, p program) error {
	owner := tokens.OrgID(c.Organization)
	return withPeople(p, func(service *people.Service) error {
		secret, made, err := readPassword(p)
		if err != nil {
			return err
		}
		admitted, err := service.Enroll(ctx, people.Enrolment{
			Organization: owner, Email: c.Email, Name: c.Name, Role: c.Role, Password: secret, AssumeVerified: c.AssumeVerified,
		})
		if errors.Is(err, people.ErrAccountUnverified) {
			return fmt.Errorf("no changes were made: %w.\nSomebody who does not own it may have chosen the account's password. "+
				"If you know the person who owns it, run this again with --assume-verified: "+
				"that ends the account's password and sessions and makes a new password for you to hand over",
				people.ErrAccountUnverified)
		}
		if err != nil {
			return err
		}
		account := "the account was there, and its password is unchanged"
		switch {
		case admitted.Made:
			account = "the account was made"
		case admitted.TakenOver:
			account = "the account was there and is now verified; its earlier password and all its sessions have ended, and " +
				"the new password must be changed at sign-in"
		}
		_, _ = fmt.Fprintf(p.stderr, "%s %s is a member of %s; %s.\n", admitted.ID, admitted.Email, owner, account)
		if made && (admitted.Made || admitted.TakenOver) {
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
