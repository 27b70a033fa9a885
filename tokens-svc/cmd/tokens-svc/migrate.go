package main

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

const aboutMigrate = `Changes the database schema: up migrates to the newest version, down reverts
the last migration, status lists applied migrations. It may run while the
previous version serves, and concurrently.`

func migrate(ctx context.Context, p program) error {
	f := newFlags("migrate", aboutMigrate, "up|down|status")
	operands, err := f.parse(p.args, p.stdout)
	if err != nil {
		return err
	}
	cfg, err := config.Load(p.environ, config.Migration)
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	return postgres.Migrate(ctx, cfg.DirectURL(), operands[0], p.stdout)
}

func health(ctx context.Context, p program) error {
	f := newFlags("health", "Asks the server at INNER_ADDRESS whether it lives; the exit code is the answer.")
	if _, err := f.parse(p.args, p.stdout); err != nil {
		return err
	}
	cfg, err := config.Load(p.environ)
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	return httpserver.Check(ctx, cfg.InnerAddress)
}
