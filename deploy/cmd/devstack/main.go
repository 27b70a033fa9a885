// Devstack runs Quayside on one machine, for developers and tests.
//
//	devstack run                 start everything and serve until Ctrl-C
//	devstack exec -- COMMAND     run COMMAND with throw-away Postgres and Redis
//	devstack clean               remove the data of stopped stacks
//	quayside dev                 its name in an archive of a release: run what is in there, with its own Postgres
//
// Environment: QUAYSIDE_PORT is the port of the gateway, 8080 by default; DATABASE_URL and
// REDIS_URL use existing servers; the programs' documented settings, such as
// REDIS_DOWN and LOG_LEVEL, are passed on to them.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/quayside/quayside/deploy/test/devstack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if status, ok := errors.AsType[*devstack.CommandError](err); ok {
		os.Exit(status.ExitCode()) // the command of exec has printed its error
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "devstack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 1 && args[0] == "dev" {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		archive := filepath.Dir(program)
		return serve(ctx, archive, filepath.Join(archive, ".run"))
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, ".run")
	switch {
	case len(args) == 1 && args[0] == "run":
		return serve(ctx, "", dir)
	case len(args) > 2 && args[0] == "exec" && args[1] == "--":
		return devstack.Exec(ctx, os.Stdout, os.Stderr, args[2:]...)
	case len(args) == 1 && args[0] == "clean":
		return devstack.Clean(dir)
	default:
		return errors.New("usage: devstack run | exec -- COMMAND | clean, or, in an archive, quayside dev")
	}
}

func serve(ctx context.Context, archive, dir string) error {
	port, err := strconv.ParseUint(cmp.Or(os.Getenv("QUAYSIDE_PORT"), "8080"), 10, 16)
	if err != nil {
		return fmt.Errorf("QUAYSIDE_PORT: %w", err)
	}
	stack, err := devstack.Start(ctx, devstack.Options{
		Archive: archive, Dir: dir, Port: int(port), Log: os.Stdout,
		DatabaseURL: os.Getenv("DATABASE_URL"), RedisURL: os.Getenv("REDIS_URL"), Env: os.Environ(),
	})
	if err != nil {
		return err
	}
	fmt.Printf(welcome, stack.Demo.Welcome, stack.LogDir(), dir)
	err = stack.Wait(ctx)
	fmt.Println("\nstopping: requests in flight end first")
	return errors.Join(err, stack.Close())
}

const welcome = `
Quayside is running.
%s
Logs are in %s.
Ctrl-C stops it, in about ten seconds, and keeps the data, which is in %s.
It is for development: its secrets are public, and connections are not encrypted.
`
