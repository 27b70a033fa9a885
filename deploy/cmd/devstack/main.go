// Devstack runs Quayside on one machine, for developers and tests.
//
//	devstack run                 start everything and serve until Ctrl-C
//	devstack exec -- COMMAND     run COMMAND with throw-away Postgres and Redis
//	devstack clean               remove the data of stopped stacks
//
// Environment: QUAYSIDE_PORT is the port of the gateway, 8080 by default; DATABASE_URL and
// REDIS_URL use existing servers; the programs' documented settings, such as
// REDIS_DOWN and LOG_LEVEL, are passed on to them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/quayside/quayside/deploy/test/devstack"
)

const usage = "usage: devstack run | exec -- COMMAND | clean"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if status, ok := errors.AsType[*devstack.CommandError](err); ok {
		os.Exit(status.ExitCode()) // the command of exec has printed its error
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "devstack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, ".run")
	switch {
	case args[0] == "run" && len(args) == 1:
		return serve(ctx, root, dir, getenv, stdout)
	case args[0] == "exec" && len(args) > 2 && args[1] == "--":
		return devstack.Exec(ctx, stderr, args[2:]...)
	case args[0] == "clean" && len(args) == 1:
		return devstack.Clean(dir)
	default:
		return errors.New(usage)
	}
}

func serve(ctx context.Context, root, dir string, getenv func(string) string, stdout io.Writer) error {
	port := 8080
	if text := getenv("QUAYSIDE_PORT"); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("QUAYSIDE_PORT=%s is not a port number", text)
		}
		port = int(n)
	}
	stack, err := devstack.Start(ctx, devstack.Options{
		Root: root, Dir: dir, Port: port, Log: stdout,
		DatabaseURL: getenv("DATABASE_URL"), RedisURL: getenv("REDIS_URL"), Env: os.Environ(),
	})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, welcome, stack.Demo.Welcome, stack.LogDir())
	err = stack.Wait(ctx)
	_, _ = fmt.Fprintln(stdout, "\nstopping: requests in flight end first")
	return errors.Join(err, stack.Close())
}

const welcome = `
Quayside is running.
%s
Logs are in %s.
Ctrl-C stops it, in about ten seconds, and keeps the data; make clean removes the data.
`
