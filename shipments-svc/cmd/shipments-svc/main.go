// Command shipments-svc keeps the shipments of organizations and answers the
// public API for them, behind the gateway. Run it without arguments for its
// commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
)

// Exit codes besides 0.
const (
	exitFailure = 1 // the command failed
	exitUsage   = 2 // the command line is not valid; nothing was done
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		timerslack.Relax()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, program{
		args: os.Args[1:], environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	})
	stop()
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "shipments-svc: %v\n", err)
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailure
}
