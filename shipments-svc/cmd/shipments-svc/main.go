// Command shipments-svc keeps the shipments of organizations and answers the
// public API for them, behind the gateway. Run it without arguments for its
// commands.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
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
	if err != nil {
		fmt.Fprintf(os.Stderr, "shipments-svc: %v\n", err)
		os.Exit(1)
	}
}

// commands is the command line. A command's method Run executes it, and its fields are its flags and arguments.
type commands struct {
	Version kong.VersionFlag `help:"Print the version."`

	Serve   serve   `cmd:"" help:"Answer the API until SIGTERM or SIGINT."`
	Migrate migrate `cmd:"" help:"Migrate the schema and the rights of SERVE_LOGIN, revert one migration, or list them."`
	Demo    demo    `cmd:"" help:"Make the shipments of the demo, with QUAYSIDE_DEMO=true."`
	Files   struct {
		Export filesExport `cmd:"" help:"Copy files that standard input lists to a directory."`
		Import filesImport `cmd:"" help:"Copy files that standard input lists from a directory."`
	} `cmd:"" help:"Files of documents."`
	PackingList struct {
		Explain explainList   `cmd:"" help:"Read a packing list, and print how it was understood and why."`
		Prepare preparePDFium `cmd:"" help:"Compile PDFium, which reads PDFs: into $XDG_CACHE_HOME/quayside/pdfium."`
		Read    readList      `cmd:"" hidden:"" passthrough:"" help:"Read a document from standard input for serve."`
	} `cmd:"" name:"packinglist" help:"Packing lists, without a database."`
	Health health `cmd:"" help:"Check the running service."`
}

// program is what a command works with.
type program struct {
	args           []string
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run executes the command line. It ends with ctx.
func run(ctx context.Context, p program) error {
	if len(p.args) > 0 && p.args[0] == "help" {
		p.args = []string{"--help"}
	}
	done := false
	parser := kong.Must(new(commands),
		kong.Name("shipments-svc"),
		kong.Description("Settings come from the environment."),
		kong.Vars{"version": strings.TrimSpace(buildinfo.Read().Line("shipments-svc"))},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { done = true })) // after help or the version
	command, err := parser.Parse(p.args)
	switch {
	case done:
		return nil
	case err != nil:
		return fmt.Errorf("wrong command line: %w (shipments-svc --help)", err)
	}
	command.BindTo(ctx, (*context.Context)(nil))
	return command.Run(p)
}

type migrate struct {
	Direction string `arg:"" enum:"up,down,status" help:"up, down or status."`
	Yes       bool   `help:"Let down take back the first migration, with all data."`
}

func (c migrate) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	direction := c.Direction
	if c.Yes {
		direction += " --yes"
	}
	err = postgres.Migrate(ctx, cfg.DirectURL(), direction, p.stdout)
	if err != nil || c.Direction != "up" || cfg.ServeLogin == "" {
		return err
	}
	return postgres.Grant(ctx, cfg.DirectURL(), cfg.ServeLogin)
}

type health struct{}

func (health) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	return httpserver.Check(ctx, cfg.InnerAddress)
}
