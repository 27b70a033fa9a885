package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// services are the operations of the program over one database.
type services struct {
	repo   *postgres.Repository
	tokens *tokens.Service
	people *people.Service
}

// newServices returns the services that the configuration allows. Mail is sent if that is configured.
func newServices(cfg config.Config, db *sqlx.DB, log *slog.Logger, now func() time.Time) services {
	c := people.Config{
		Passwords: password.New(password.Default), Domains: cfg.Domains, Log: log, Now: now,
		AppKeys: cfg.AppKeys, Passkeys: cfg.Party,
	}
	if cfg.Mail != nil {
		c.Mail = cfg.Mail
	}
	repo := postgres.NewRepository(db)
	staff := people.NewService(repo, c)
	return services{repo: repo, people: staff, tokens: tokens.NewService(repo, tokens.Config{
		Peppers: cfg.Peppers, Permissions: cfg.Catalogue, MaxActive: int(cfg.MaxActiveTokens), Now: now,
		Notices: staff.NoticesOfToken,
	})}
}

// withServices calls do with services over the configured database, at the instant of the command. What they can do
// depends on the needs.
func withServices(p program, do func(services) error, needs ...config.Need) error {
	cfg, err := config.Load(p.environ, append(needs, config.Database, config.Permissions)...)
	if err != nil {
		return err
	}
	if cfg.Operator != "" {
		audit.CommandLine.Name += ": " + tokens.Scrub(strings.ToValidUTF8(cfg.Operator, "?"))
	}
	cfg.DatabaseURL = cfg.DirectURL() // a pooler ends what takes longer than a request may
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session().OfCommand())
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	err = do(newServices(cfg, db, nil, func() time.Time { return p.now }))
	if wrong, ok := errors.AsType[*tokens.ValidationError](err); ok {
		var b strings.Builder
		b.WriteString("no changes were made:")
		for _, f := range wrong.Fields {
			fmt.Fprintf(&b, "\n  --%s %s", strings.NewReplacer("expires_at", "expires-in", "_", "-").Replace(f.Field), f.Detail)
		}
		return errors.New(b.String())
	}
	return err
}
