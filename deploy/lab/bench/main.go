//go:build linux

// Bench measures speed, always beside something else in the same run, because
// other load on the machine affects both.
//
//	bench [gateway]    the gateway beside a bare Caddy
//	bench path         the whole path of a request beside another commit
//	bench scale        lists of 1,000,000 shipments beside lists of 1,000
//
// A round measures every kind of traffic on both sides once, in alternating
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
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
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
	base        string         // a commit
	rows        int            // of the large organization
	log, out    io.Writer
}

var commands = map[string]func(context.Context, settings, string) error{
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
	s := settings{
		connections: 16, warmup: time.Second, length: 3 * time.Second, only: regexp.MustCompile(""),
		log: os.Stderr, out: os.Stdout,
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 7, "how often each measurement is repeated")
	flags.StringVar(&s.base, "base", "6898084", "path: the commit to compare with")
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
	commit, err := git(ctx, s.root, "describe", "--always", "--dirty", "--abbrev=12")
	if err != nil {
		return err
	}
	loads, _ := os.ReadFile("/proc/loadavg") // before the run: the load average is not its own
	return command(ctx, s, fmt.Sprintf("bench %s, %s, %s, %d cores, load before the run %s; medians of %d rounds of %s.",
		name, commit, runtime.Version(), runtime.NumCPU(), strings.TrimSpace(string(loads)), s.rounds, s.length))
}

// git runs a git command in dir and returns its output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), err
}
