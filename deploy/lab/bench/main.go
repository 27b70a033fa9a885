//go:build linux

// Bench measures speed, always beside something else in the same run, because
// other load on the machine affects both.
//
//	bench [gateway]    the gateway beside a bare Caddy
//	bench path         the whole path of a request beside another checkout
//	bench scale        lists of 1,000,000 shipments beside lists of 1,000
//
// A round measures every kind of traffic on every side once, in alternating
// order. Ratios are taken within a round; the report has their medians. The
// exit status is 1 for a missed goal and 2 for other errors. It needs Linux,
// which reports the CPU time of other processes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// settings are the parameters of a run.
type settings struct {
	root        string // the repository
	rounds      int
	connections int
	warmup      time.Duration // of each measurement
	length      time.Duration
	only        *regexp.Regexp // the names of the kinds of traffic
	base, head  string         // commits, or directories of checkouts
	rows        int            // of the large organization
	log         io.Writer
}

var commands = map[string]func(context.Context, settings) (*comparison, error){
	"gateway": compareGateway, "path": comparePath, "scale": compareScale,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	switch {
	case errors.Is(err, errMissed):
		os.Exit(1)
	case err != nil:
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) (err error) {
	name := "gateway"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	command, ok := commands[name]
	if !ok {
		return fmt.Errorf("there is no command %s: choose gateway, path or scale", name)
	}
	s := settings{warmup: time.Second, length: 3 * time.Second, only: regexp.MustCompile(""), log: os.Stderr}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 7, "how often each measurement is repeated")
	flags.StringVar(&s.base, "base", "6898084", "path: the commit, or the directory of the checkout, to compare with")
	flags.StringVar(&s.head, "head", "HEAD", "path and scale: the commit or checkout that is measured")
	flags.IntVar(&s.rows, "rows", 1_000_000, "scale: shipments of the large organization")
	flags.Func("only", "a `regexp` of the kinds of traffic to measure", func(text string) (err error) {
		s.only, err = regexp.Compile(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if s.root, err = devstack.FindRoot(); err != nil {
		return err
	}
	facts := describe(ctx, s)
	c, err := command(ctx, s)
	if err != nil {
		return err
	}
	return c.report(os.Stdout, name, facts)
}
