// Package stacktest runs the tests of a package against one running stack.
package stacktest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// parallel is how many tests run at once unless the command line's -parallel
// says otherwise: they wait for programs more than they compute.
const parallel = 4

// Main starts a stack, calls ready, runs the tests of m, verifies the audit
// log and stops the stack. It returns the exit status for TestMain, and sets
// Dir, Log and ThrowAway of opts itself. With Race the programs have the race detector in CI only.
func Main(m interface{ Run() int }, opts devstack.Options, ready func(context.Context, *devstack.Stack) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, m, opts, ready)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func run(
	ctx context.Context, m interface{ Run() int }, opts devstack.Options, ready func(context.Context,
		*devstack.Stack) error,
) (code int, err error) {
	opts.Log, opts.ThrowAway = os.Stderr, true
	opts.Race = opts.Race && os.Getenv("CI") != "" // elsewhere the programs are those of `make run`
	if opts.Dir, err = os.MkdirTemp("", "quayside-stack-"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, devstack.Clean(opts.Dir)) }()
	stack, err := devstack.Start(ctx, opts)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	if err := ready(ctx, stack); err != nil {
		return 0, err
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(parallel, runtime.GOMAXPROCS(0)))); err != nil {
		return 0, err
	}
	return m.Run(), stack.VerifyAudit(ctx)
}
