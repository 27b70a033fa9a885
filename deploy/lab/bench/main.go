// Bench compares the gateway with a bare Caddy that forwards the same requests
// to the same upstream, in alternating order in one run.
//
//	bench [-rounds 7] [-only hot,many,…] [-profile DIR] [-write] [-strict]
//
// Ratios are taken within one round, so other load on the machine affects both.
// It needs Linux, which reports the CPU time of other processes.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
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

// children are the measurements for which this program starts itself.
var children = map[string]func(context.Context, []string) error{callsCommand: callScripts, plainHTTPCommand: servePlainHTTP}

func main() {
	benchmark.Child(children)
	s := settings{
		pin: true, tokens: 1000, connections: 64, rate: 2000,
		warmup: 500 * time.Millisecond, length: 2500 * time.Millisecond, profiled: 10 * time.Second, log: os.Stderr,
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&s.rounds, "rounds", 7, "measurements of each program in each scenario")
	flags.Func("only", "the scenarios to run, a comma `list`; all if left out", func(text string) error {
		s.only = strings.Split(text, ",")
		return nil
	})
	flags.StringVar(&s.profiles, "profile", "", "a `directory` to put a CPU profile of the gateway in, for each scenario")
	benchmark.Main(flags, "deploy/bench/REPORT.md", func(ctx context.Context, root string) (benchmark.Report, error) {
		s.root = root
		return runAll(ctx, s)
	})
}

// runAll starts the testbed, measures and stops it.
func runAll(ctx context.Context, s settings) (_ *report, err error) {
	facts := benchmark.Describe(ctx, s.root)
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
	r := &report{
		facts: facts, redis: testbed.redisVersion, settings: s, cores: testbed.cores,
		scenarios: list, results: results, took: time.Since(began),
	}
	r.memory, err = testbed.peaks()
	return r, err
}

// gcPercent is the GOGC of all compared programs: the environment's, or 100.
func gcPercent() string { return cmp.Or(os.Getenv("GOGC"), "100") }
