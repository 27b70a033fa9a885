// Command shipments-svc keeps the shipments of organizations and answers the
// public API for them, behind the gateway. Run it without arguments for its
// commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

// Exit codes besides 0.
const (
	exitFailure = 1 // the command failed
	exitUsage   = 2 // the command line is not valid; nothing was done
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		timerslack.Relax()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, program{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	})
	stop()
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "shipments-svc: %v\n", err)
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailure
}

const usage = `usage: shipments-svc COMMAND

  serve                       answer the API until SIGTERM or SIGINT
  migrate up|down|status      bring the schema and the rights of SERVE_LOGIN up to date, take back one
                              migration, or list them; down --yes takes back the first one and all data
  demo                        store the shipments of the demo, with QUAYSIDE_DEMO=true
  files export|import DIR     copy files that standard input lists to a directory, or from it
  packinglist explain FILE    read a packing list, and print how it was understood and why; --json FILE for programs
  packinglist prepare DIR     compile PDFium, which reads PDFs, into a directory: $XDG_CACHE_HOME/quayside/pdfium
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
	command, ok := map[string]func(context.Context, program) error{
		"serve": serve, reader.Command: packingList, "migrate": migrate, "demo": runDemo, "files": runFiles, "health": health,
	}[p.args[0]]
	if !ok {
		return fmt.Errorf("%w: there is no command %q\n%s", errUsage, p.args[0], usage)
	}
	p.args = p.args[1:]
	return command(ctx, p)
}

func migrate(ctx context.Context, p program) error {
	if len(p.args) == 0 {
		return fmt.Errorf("%w: migrate takes up, down or status", errUsage)
	}
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	err = postgres.Migrate(ctx, cfg.DirectURL(), strings.Join(p.args, " "), p.stdout)
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
