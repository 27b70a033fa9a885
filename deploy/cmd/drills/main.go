// Drills loses parts of a product with replicated databases, one at a time under
// load, and prints each promise with what was observed. The exit status is 1 for
// broken promises and 2 if a drill could not be run.
//
//	drills           everything, in about six minutes
//	drills TEXT      drills whose name contains TEXT, such as Postgres
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/quayside/quayside/deploy/devstack"
	"github.com/quayside/quayside/deploy/drills"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "drills:", err)
	if errors.Is(err, drills.ErrBroken) {
		os.Exit(1)
	}
	os.Exit(2)
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New("usage: drills [TEXT]")
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	only := ""
	if len(args) == 1 {
		only = args[0]
	}
	return drills.Run(ctx, drills.Config{Root: root, Only: only, Report: os.Stdout, Log: os.Stderr})
}
