// Resilience breaks a running product, one part at a time under a steady load
// of real requests, and prints each promise with what was observed. The exit
// status is 1 for broken promises and 2 if a fault could not be injected.
//
//		resilience           everything, in about two minutes
//		resilience REGEXP    the faults whose title matches, such as 'Redis'
//
//	  - A fault is a row: how it is injected and healed, how long it lasts (faults.go, inject.go).
//	  - A promise is a row: what must hold, and how that is observed (promises.go).
//	  - The load sends requests of customers with valid tokens and requests that
//	    must be refused, each kind at a fixed rate (load.go, client.go).
//
// The promises are the specification: one that the product does not keep is
// reported as broken, whether or not it is implemented.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/quayside/quayside/deploy/test/devstack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil:
	case errors.Is(err, errBroken): // the report names them
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "resilience:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) > 1 {
		return errors.New("usage: resilience [REGEXP]")
	}
	titles, err := regexp.Compile(strings.Join(args, "")) // without one, all match
	if err != nil {
		return err
	}
	selected := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !titles.MatchString(f.title) })
	dir, err := os.MkdirTemp("", "quayside-resilience-")
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			err = devstack.Clean(dir)
		} else {
			_, _ = fmt.Fprintln(os.Stderr, "logs are in", dir)
		}
	}()
	b, err := startTestbed(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	out := newReport(os.Stdout)
	for _, f := range selected {
		o, err := b.observe(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.title, err)
		}
		out.add(o)
	}
	return out.close()
}
