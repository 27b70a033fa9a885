// Package benchmark is what the benchmarks share: their command line, facts about
// the machine, goals and medians.
package benchmark

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// Report is the result of a benchmark.
type Report interface {
	Markdown() string
	// Check returns an error for wrong results and, if strict, for missed goals.
	Check(strict bool) error
}

// ErrMissed is the error of Check for a missed goal.
var ErrMissed = errors.New("a goal was missed")

// Main runs a benchmark with the arguments of the program and prints its report.
// run gets the root of the repository. The flags -write, which writes the report
// to a path of the repository, and -strict are added to flags.
func Main(flags *flag.FlagSet, path string, run func(ctx context.Context, root string) (Report, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runMain(ctx, flags, path, run)
	stop()
	exit(flags.Name(), err)
}

// Child runs the command that the first argument of the program names, if there
// is such a command, and exits: a benchmark starts itself for some measurements.
func Child(commands map[string]func(ctx context.Context, args []string) error) {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := commands[os.Args[1]](ctx, os.Args[2:])
	stop()
	exit(os.Args[1], err)
}

func exit(name string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runMain(ctx context.Context, flags *flag.FlagSet, path string, run func(context.Context, string) (Report, error)) error {
	write := flags.Bool("write", false, "write "+path)
	strict := flags.Bool("strict", false, "exit with status 1 when a goal is missed")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	r, err := run(ctx, root)
	if err != nil {
		return err
	}
	text := r.Markdown()
	if _, err := os.Stdout.WriteString(text); err != nil {
		return err
	}
	if *write {
		//nolint:gosec // G306: a document of the repository
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return r.Check(*strict)
}
