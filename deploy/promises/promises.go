// Package promises is what the programs that break a running product share: their
// command line, and the report of what was promised beside what was observed.
package promises

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// ErrBroken means that at least one promise was broken. The report names them.
var ErrBroken = errors.New("promises were broken")

// Main runs a program whose argument, if it has one, is a regular expression for
// what to run. run gets the root of the repository. The exit status is 1 for broken
// promises and 2 for other errors.
func Main(name string, run func(ctx context.Context, root string, only *regexp.Regexp) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := runMain(ctx, name, os.Args[1:], run)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, name+":", err)
	if errors.Is(err, ErrBroken) {
		os.Exit(1)
	}
	os.Exit(2)
}

func runMain(ctx context.Context, name string, args []string, run func(context.Context, string, *regexp.Regexp) error) error {
	if len(args) > 1 {
		return fmt.Errorf("usage: %s [REGEXP]", name)
	}
	only, err := regexp.Compile(strings.Join(args, "")) // without one, all match
	if err != nil {
		return err
	}
	root, err := devstack.FindRoot()
	if err != nil {
		return err
	}
	return run(ctx, root, only)
}

// Report writes each observation, and at the end the broken promises.
type Report struct {
	out       io.Writer
	begun     time.Time
	title     string // of the present observation
	evaluated int
	broken    []string
}

// NewReport begins a report.
func NewReport(out io.Writer) *Report { return &Report{out: out, begun: time.Now()} }

// Begin begins an observation. The format is of what follows its title.
func (r *Report) Begin(title, format string, args ...any) {
	r.title = title
	r.Print("\n%s%s\n", title, fmt.Sprintf(format, args...))
}

// Add adds a promise and what was observed.
func (r *Report) Add(promise string, kept bool, seen string) {
	r.evaluated++
	word := "kept  "
	if !kept {
		word = "BROKEN"
		r.broken = append(r.broken, fmt.Sprintf("%s: %s (%s)", r.title, promise, seen))
	}
	r.Print("  %s  %-62s  %s\n", word, promise, seen)
}

// Close writes the summary and returns ErrBroken for broken promises. logs is where
// the programs' logs are.
func (r *Report) Close(logs string) error {
	r.Print("\n%d promises evaluated in %s, %d broken\n", r.evaluated, time.Since(r.begun).Round(time.Second), len(r.broken))
	for _, one := range r.broken {
		r.Print("  BROKEN  %s\n", one)
	}
	if len(r.broken) == 0 {
		return nil
	}
	r.Print("The programs' logs are in %s\n", logs)
	return ErrBroken
}

// Print adds text.
func (r *Report) Print(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format, args...) }
