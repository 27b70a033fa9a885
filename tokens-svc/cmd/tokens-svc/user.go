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

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/ids"
	"github.com/quayside/quayside/tokens-svc/internal/password"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

const aboutUserCreate = `Makes a person a member of an organization, and makes their account unless
there is one: then its password and its name stay, as does the role of a
membership that there is. Running it again changes nothing.

The password of a new account is the first line of standard input. When that is
empty one is made, which is all that standard output then has:

    PASSWORD=$(tokens-svc user create --email anna@acme.example --organization org_… --role owner </dev/null)

Roles: owner, admin, member, auditor.`

func createUser(ctx context.Context, p program) error {
	f := newFlags("user create", aboutUserCreate)
	email := f.String("email", "", "the `address` with which they sign in")
	org := f.String("organization", "", "the `org_…` id of the organization")
	role := f.String("role", "", "what they are there: `owner`, admin, member or auditor")
	name := f.String("name", "", "what they are called; may be left out")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	if err := f.require("email", "organization", "role"); err != nil {
		return err
	}
	owner, err := parseOrg(*org)
	if err != nil {
		return err
	}
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	given, err := bufio.NewReader(p.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the password: %w", err)
	}
	given = strings.TrimRight(given, "\r\n")
	secret := given
	if secret == "" {
		secret = rand.Text()
	}
	db, err := postgres.Open(cfg.DatabaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	service := people.NewService(postgres.NewPeople(db), people.Config{
		Passwords: password.New(password.Default), NewID: ids.New, Now: func() time.Time { return p.now },
	})
	u, made, err := service.Enroll(ctx, people.Enrolment{Organization: owner, Email: *email, Name: *name, Role: *role, Password: secret})
	if err != nil {
		return invalid(err)
	}
	account := "the account was made"
	if !made {
		account = "the account was there, and its password is unchanged"
	}
	_, _ = fmt.Fprintf(p.stderr, "%s %s is a member of %s; %s.\n", u.ID, u.Email, owner, account)
	if made && given == "" {
		_, err = fmt.Fprintln(p.stdout, secret)
	}
	return err
}
