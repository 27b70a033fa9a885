// Chaos injects faults into Quayside's programs and the links between them, one
// at a time under load, and prints each promise with what was observed. The exit
// status is 1 for broken promises and 2 if a fault could not be injected.
//
//	chaos            everything, in under ten minutes
//	chaos REGEXP     faults whose title matches, such as 'Redis: hung'
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/chaos"
	"github.com/quayside/quayside/deploy/devstack"
)

// rest is longer than the gateway keeps idle connections to services.
const rest = 45 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "chaos:", err)
	if errors.Is(err, chaos.ErrBroken) {
		os.Exit(1)
	}
	os.Exit(2)
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New("usage: chaos [REGEXP]")
	}
	faults, err := regexp.Compile(strings.Join(args, "")) // without one, all match
	if err != nil {
		return err
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	return chaos.Run(ctx, chaos.Config{
		Root: root, Dir: filepath.Join(root, ".run", "chaos"), Logs: filepath.Join(root, ".run", "chaos-log"),
		Faults: faults, Rest: rest, Report: os.Stdout, Log: os.Stderr,
	})
}
