package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
)

// cores are lists of processors for taskset. Empty lists: all processors.
type cores struct {
	gateway string // the program that is measured
	others  string // load, upstream, Redis, Postgres, the services
	given   int    // how many the measured program has
}

// chooseCores divides the processors in two halves, if taskset is available.
func chooseCores() cores {
	n := runtime.NumCPU()
	if _, err := exec.LookPath("taskset"); err != nil || n < 2 {
		return cores{given: n}
	}
	return cores{gateway: fmt.Sprintf("0-%d", n/2-1), others: fmt.Sprintf("%d-%d", n/2, n-1), given: n / 2}
}

// pinSelf moves this process and its later children to the given cores.
func pinSelf(ctx context.Context, on string) error {
	if on == "" {
		return nil
	}
	//nolint:gosec // G204: our own arguments
	out, err := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", on, strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
