package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

const usage = `usage: shipments-svc COMMAND

  serve                       answer the API until SIGTERM or SIGINT
  migrate up|down|status      bring the schema and the rights of SERVE_LOGIN up to date, take back one
                              migration, or list them
  demo                        store the shipments of the demo, with QUAYSIDE_DEMO=true
  files export|import DIR     copy files that standard input lists to a directory, or from it
  health                      check the running service
  --version                   print the version

Settings come from the environment.`

// errUsage means that the command line is wrong.
var errUsage = errors.New("wrong command line")

// program is what a command works with.
type program struct {
	args           []string
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run executes the command line. It ends with ctx.
func run(ctx context.Context, p program) error {
	if len(p.args) == 0 {
		return fmt.Errorf("%w\n%s", errUsage, usage)
	}
	if p.args[0] == "--help" {
		_, err := io.WriteString(p.stdout, usage+"\n")
		return err
	}
	if p.args[0] == "--version" {
		_, err := io.WriteString(p.stdout, buildinfo.Read().Line("shipments-svc"))
		return err
	}
	if p.args[0] == reader.Command {
		return reader.Child(ctx, p.args[1:], os.Stdin, p.stdout)
	}
	command, ok := map[string]func(context.Context, program) error{
		"serve": serve, "migrate": migrate, "demo": runDemo, "files": runFiles, "health": health,
	}[p.args[0]]
	if !ok {
		return fmt.Errorf("%w: there is no command %q\n%s", errUsage, p.args[0], usage)
	}
	p.args = p.args[1:]
	return command(ctx, p)
}

func migrate(ctx context.Context, p program) error {
	if len(p.args) != 1 {
		return fmt.Errorf("%w: migrate takes up, down or status", errUsage)
	}
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	err = postgres.Migrate(ctx, cfg.DirectURL(), p.args[0], p.stdout)
	if err != nil || p.args[0] != "up" || cfg.ServeLogin == "" {
		return err
	}
	return postgres.Grant(ctx, cfg.DirectURL(), cfg.ServeLogin)
}

func health(ctx context.Context, p program) error {
	if len(p.args) != 0 {
		return fmt.Errorf("%w: health takes no arguments", errUsage)
	}
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	return httpserver.Check(ctx, cfg.InnerAddress)
}
