// Bench compares the gateway with a bare Caddy that forwards the same requests
// to the same upstream, in alternating order in one run.
//
//	bench [-rounds 7] [-only hot,many,…] [-profile DIR] [-write] [-strict]
//
// Ratios are taken within one round, so other load on the machine affects both.
// It needs Linux, which reports the CPU time of other processes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/bench/machine"
	"github.com/quayside/quayside/deploy/devstack"
)

// settings are the parameters of a run.
type settings struct {
	root string // the repository
	only []string
	race bool // programs with the race detector, as the tests have them
	pin  bool // the gateway to one half of the cores, all else to the other

	rounds         int
	tokens         int // of the scenario with many
	connections    int
	rate           int           // of the steady mode, requests a second
	warmup, length time.Duration // of each measurement
	profiles       string        // directory; empty: none
	profiled       time.Duration // of each profile
	log            io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := realMain(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a goal was missed")

func realMain(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == callsCommand {
		return callScripts(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == plainHTTPCommand {
		return servePlainHTTP(ctx, args[1:])
	}
	s := settings{
		pin: true, tokens: 1000, connections: 64, rate: 2000,
		warmup: 500 * time.Millisecond, length: 2500 * time.Millisecond, profiled: 10 * time.Second, log: os.Stderr,
	}
	var write, strict bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 7, "measurements of each program in each scenario")
	flags.Func("only", "the scenarios to run, a comma `list`; all if left out", func(text string) error {
		s.only = strings.Split(text, ",")
		return nil
	})
	flags.StringVar(&s.profiles, "profile", "", "a `directory` to put a CPU profile of the gateway in, for each scenario")
	flags.BoolVar(&write, "write", false, "write deploy/bench/REPORT.md")
	flags.BoolVar(&strict, "strict", false, "exit with status 1 when a goal is missed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if s.root, err = devstack.FindRoot(); err != nil {
		return err
	}
	return compare(ctx, s, write, strict)
}

// compare runs the scenarios and prints the report.
func compare(ctx context.Context, s settings, write, strict bool) error {
	report, err := runAll(ctx, s)
	if err != nil {
		return err
	}
	text := report.markdown()
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return err
	}
	if write {
		path := filepath.Join(s.root, "deploy", "bench", "REPORT.md")
		//nolint:gosec // G306: to be read by everybody
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if wrong := report.wrongResponses(); len(wrong) > 0 {
		return fmt.Errorf("answers were not as they must be: %s", strings.Join(wrong, "; "))
	}
	missed := slices.ContainsFunc(report.verdicts(), func(v verdict) bool { return !v.met })
	if strict && missed {
		return errMissed
	}
	return nil
}

// runAll starts the testbed, measures and stops it.
func runAll(ctx context.Context, s settings) (_ *report, err error) {
	where := facts{Facts: machine.Describe(ctx, s.root)}
	testbed, err := start(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, testbed.close()) }()
	list, err := testbed.scenarios(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	results, err := testbed.run(ctx, list)
	if err != nil {
		return nil, err
	}
	r := &report{facts: where, settings: s, cores: testbed.cores, scenarios: list, results: results, took: time.Since(began)}
	r.facts.redis = testbed.redisVersion
	r.memory, err = testbed.peaks()
	return r, err
}
