// Command tokens-svc is the authority on organizations and API tokens: a
// server for gateways, and the operator's command line over the same database.
// Run it without arguments for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Exit codes besides 0.
const (
	exitFailure = 1 // it was tried and did not work, or a checked token is not good
	exitUsage   = 2 // it was not tried: the command line is wrong
)

func main() { os.Exit(realMain()) }

func realMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, program{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now(),
	})
	return exitCode(err, os.Stderr.WriteString)
}

// exitCode says what went wrong and returns the code for it. A token that got
// into an error, as a mistaken argument perhaps, is cut down on the way out.
func exitCode(err error, say func(string) (int, error)) int {
	if err == nil {
		return 0
	}
	_, _ = say(tokens.Scrub(fmt.Sprintf("tokens-svc: %v\n", err)))
	if _, usage := errors.AsType[*usageError](err); usage {
		return exitUsage
	}
	return exitFailure
}
