package main

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

type migrate struct {
	Direction string `arg:"" enum:"up,down,status" help:"up, down or status."`
}

func (migrate) Help() string {
	return `Changes the database schema: up migrates to the newest version and grants the
rights of SERVE_LOGIN, down reverts the last migration, status lists applied
migrations. It may run while the previous version serves, and concurrently.`
}

func (c migrate) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ, config.Migration)
	if err != nil {
		return err
	}
	err = postgres.Migrate(ctx, cfg.DirectURL(), c.Direction, p.stdout)
	if err != nil || c.Direction != "up" || cfg.ServeLogin == "" {
		return err
	}
	return postgres.Grant(ctx, cfg.DirectURL(), cfg.ServeLogin)
}

type health struct{}

func (health) Help() string {
	return "Sends a request to the server at INNER_ADDRESS. The exit code is 0 if it is ready."
}

func (health) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	return httpserver.Check(ctx, cfg.InnerAddress)
}
