// Path measures the whole path of a request, from the client to the row: the
// stacks of two commits and a lower bound, alternating in one run.
//
//	path [-base COMMIT] [-head COMMIT] [-rounds 5] [-large 1000000] [-only PREFIX] [-write] [-strict]
//
// Each commit gets a git worktree and the stack that its own `make run` starts.
// The lower bound is net/http with lib/pq and one prepared statement: no
// tokens, no limits, no row-level security, the same JSON. CPU time is that of
// every process of a stack, read from the kernel; load generator, stacks and
// databases share the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

type settings struct {
	root        string // the repository
	base, head  string // commits
	rounds      int
	warmup      time.Duration
	length      time.Duration
	connections int
	tokens      int // of the organization that is read
	large       int // shipments of the large organization
	only        string
	log         io.Writer
}

func main() {
	benchmark.Child(map[string]func(context.Context, []string) error{lowerBoundCommand: serveLowerBound})
	s := settings{warmup: time.Second, length: 3 * time.Second, connections: 16, tokens: 1000, log: os.Stderr}
	flags := flag.NewFlagSet("path", flag.ContinueOnError)
	flags.StringVar(&s.base, "base", "88c5176", "the commit to compare with")
	flags.StringVar(&s.head, "head", "HEAD", "the commit that is compared")
	flags.IntVar(&s.rounds, "rounds", 5, "how often each measurement is repeated")
	flags.IntVar(&s.large, "large", 1_000_000, "shipments of the large organization; 0: none")
	flags.StringVar(&s.only, "only", "", "the beginning of the names of the kinds of requests to measure")
	benchmark.Main(flags, "deploy/bench/path/REPORT.md", func(ctx context.Context, root string) (_ benchmark.Report, err error) {
		s.root = root
		for _, commit := range []*string{&s.base, &s.head} {
			if *commit, err = git(ctx, root, "rev-parse", "--short=12", *commit+"^{commit}"); err != nil {
				return nil, err
			}
		}
		return run(ctx, s)
	})
}

// git runs a git command in dir and returns its output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // G204: our own arguments
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
