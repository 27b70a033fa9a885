package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// withService calls do with a service over the configured database. It has
// peppers if they are among the needs.
func withService(
	ctx context.Context, p program, do func(context.Context, *tokens.Service) error, needs ...config.Need,
) error {
	return withDatabase(p, func(cfg config.Config, db *sqlx.DB) error {
		return do(ctx, tokens.NewService(postgres.NewRepository(db), tokens.Config{
			Peppers: cfg.Peppers, Now: func() time.Time { return p.now }, Permissions: cfg.Catalogue,
			MaxActive: int(cfg.MaxActiveTokens),
		}))
	}, append(needs, config.Permissions)...)
}

// withDatabase calls do with the configuration and its database.
func withDatabase(p program, do func(config.Config, *sqlx.DB) error, needs ...config.Need) error {
	cfg, err := config.Load(p.environ, append(needs, config.Database)...)
	if err != nil {
		return err
	}
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session())
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	return invalid(do(cfg, db))
}

// invalid names the flags of a ValidationError; other errors pass.
func invalid(err error) error {
	wrong, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok {
		return err
	}
	var b strings.Builder
	b.WriteString("no changes were made:")
	for _, f := range wrong.Fields {
		fmt.Fprintf(&b, "\n  --%s %s", strings.ReplaceAll(f.Field, "_", "-"), f.Detail)
	}
	return usagef("%s", b.String())
}
