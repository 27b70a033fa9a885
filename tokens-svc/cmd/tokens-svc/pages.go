package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/web"
)

// newPeople returns the service of people, which sends mail if that is configured.
func newPeople(cfg config.Config, db *sqlx.DB, log *slog.Logger) *people.Service {
	c := people.Config{
		Passwords: password.New(password.Default), NewID: publicid.New, Domains: cfg.Domains, Log: log,
		AppKeys: cfg.AppKeys, Passkeys: cfg.Party,
	}
	if cfg.Mail != nil {
		c.Mail = cfg.Mail
	}
	return people.NewService(postgres.NewPeople(db), c)
}

// newPages returns the handler of the pages, and that of the introspection of sessions.
func newPages(cfg config.Config, staff *people.Service, db *sqlx.DB, service *tokens.Service, log *slog.Logger) (
	pages, introspection http.Handler, err error,
) {
	address, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil, nil, fmt.Errorf("PUBLIC_URL: %w", err)
	}
	sessions := postgres.NewSessions(db, publicid.New, time.Now)
	c := web.Config{
		People: staff,
		Tokens: service, Sessions: sessions, Passwords: cfg.Passwords(), PublicURL: address,
		Timeout: postgres.RequestTimeout, Log: log,
	}
	if cfg.OIDCIssuer != "" {
		c.Issuer = oidc.New(oidc.Config{
			Issuer: cfg.OIDCIssuer, ClientID: cfg.OIDCClientID, ClientSecret: cfg.OIDCClientSecret,
			RedirectURL: address.JoinPath("/sign-in/callback").String(), VerifiedClaim: cfg.OIDCVerifiedClaim,
		})
	}
	pages, introspection = web.New(c)
	return pages, introspection, nil
}

// usageKept is the retention of hourly usage.
const usageKept = 30 * 24 * time.Hour

// maintain removes expired rows and sends notices of tokens that expire, until ctx ends. It then
// returns when refused sign-ins are recorded and mails sent, at most 10 s later. End it after
// the last request and before db is closed.
func maintain(ctx context.Context, db *sqlx.DB, staff *people.Service, log *slog.Logger) {
	tick := time.NewTicker(10 * time.Minute)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case now := <-tick.C:
			repo := postgres.NewRepository(db)
			if err := errors.Join(
				repo.PruneUsage(ctx, now.Add(-usageKept)), repo.PruneKeys(ctx, now.Add(-tokens.KeyLifetime)),
				postgres.NewPeople(db).Prune(ctx, now, people.AttemptWindow), staff.NotifyExpiring(ctx),
			); err != nil {
				log.WarnContext(ctx, "expired rows were not removed, or notices not sent", "error", err)
			}
		}
	}
	staff.Wait()
}

// refusePage answers a request for a page that did not come through the gateway.
func refusePage(w http.ResponseWriter, r *http.Request) {
	p := problem.New(http.StatusUnauthorized, "missing_identity", "Missing identity",
		"pages are served through the gateway only; open the gateway's address instead")
	_ = p.Write(w, r) // fails only if the client is gone
}

// public separates pages from the API. It does not clean paths.
func public(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, root := range []string{"/sign-in", "/settings"} {
			if r.URL.Path == root || strings.HasPrefix(r.URL.Path, root+"/") {
				pages.ServeHTTP(w, r)
				return
			}
		}
		api.ServeHTTP(w, r)
	})
}
