// Resilience breaks a running product, one part at a time under a steady load
// of real requests, and prints each promise with what was observed. The exit
// status is 1 for broken promises and 2 if a fault could not be injected.
//
//		resilience           everything, in about ten minutes
//		resilience REGEXP    the faults whose title matches, such as 'Redis'
//
//	  - A topology is a row: how the product runs (topology.go, patroni.go).
//	  - A fault is a row: its topology, how it is injected and healed, how long it
//	    lasts (faults.go, inject.go).
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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil:
	case errors.Is(err, errBroken):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "resilience:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New("usage: resilience [REGEXP]")
	}
	titles, err := regexp.Compile(strings.Join(args, "")) // without one, all match
	if err != nil {
		return err
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	out := newReport(os.Stdout)
	for _, t := range topologies {
		var selected []fault
		for _, f := range faults {
			if f.on == t.name && titles.MatchString(f.title) {
				selected = append(selected, f)
			}
		}
		if len(selected) > 0 {
			if err := observeAll(ctx, root, t, selected, out); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return out.close()
}

// observeAll starts a topology and injects faults into it, one after another.
// Logs and data stay in a directory of /var/tmp if something failed.
func observeAll(ctx context.Context, root string, t topology, selected []fault, out *report) (err error) {
	dir, err := os.MkdirTemp("/var/tmp", "quayside-resilience-")
	if err != nil {
		return err
	}
	b := &testbed{root: root, dir: dir}
	broken := out.broken
	defer func() {
		err = errors.Join(err, b.close())
		if err == nil && broken == out.broken {
			err = devstack.Clean(filepath.Join(dir, "stack"))
			err = errors.Join(err, os.RemoveAll(dir))
			return
		}
		_, _ = fmt.Fprintln(os.Stderr, "logs are in", dir)
	}()
	if err := errors.Join(os.Chmod(dir, 0o711), t.start(ctx, b)); err != nil {
		return err
	}
	load := slices.MaxFunc(selected, func(x, y fault) int { return int(x.lasts - y.lasts) }).lasts + time.Minute
	if b.tokens, err = createTokens(ctx, b, load); err != nil {
		return err
	}
	for _, f := range selected {
		o, err := b.observe(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.title, err)
		}
		out.add(o)
	}
	return nil
}
