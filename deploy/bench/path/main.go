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
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
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
	if len(os.Args) == 4 && os.Args[1] == lowerBoundCommand {
		fmt.Fprintln(os.Stderr, serveLowerBound(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := realMain(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "path:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a goal was missed")

func realMain(ctx context.Context, args []string) error {
	s := settings{warmup: time.Second, length: 3 * time.Second, connections: 16, tokens: 1000, log: os.Stderr}
	var write, strict bool
	flags := flag.NewFlagSet("path", flag.ContinueOnError)
	flags.StringVar(&s.base, "base", "88c5176", "the commit to compare with")
	flags.StringVar(&s.head, "head", "HEAD", "the commit that is compared")
	flags.IntVar(&s.rounds, "rounds", 5, "how often each measurement is repeated")
	flags.IntVar(&s.large, "large", 1_000_000, "shipments of the large organization; 0: none")
	flags.StringVar(&s.only, "only", "", "the beginning of the names of the kinds of requests to measure")
	flags.BoolVar(&write, "write", false, "write deploy/bench/path/REPORT.md")
	flags.BoolVar(&strict, "strict", false, "exit with status 1 when a goal is missed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	s.root = root
	for _, commit := range []*string{&s.base, &s.head} {
		if *commit, err = git(ctx, root, "rev-parse", "--short=12", *commit+"^{commit}"); err != nil {
			return err
		}
	}
	r, err := run(ctx, s)
	if err != nil {
		return err
	}
	text := r.markdown()
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return err
	}
	if write {
		//nolint:gosec // G306: a document of the repository
		if err := os.WriteFile(filepath.Join(root, "deploy", "bench", "path", "REPORT.md"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if strict && slices.ContainsFunc(r.goals(), func(g goal) bool { return !g.met }) {
		return errMissed
	}
	return nil
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
