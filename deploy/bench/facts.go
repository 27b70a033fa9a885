package main

import (
	"os"

	"github.com/quayside/quayside/deploy/bench/machine"
)

// facts describe the machine and versions of a run.
type facts struct {
	machine.Facts

	redis string // its version
}

// gcPercent is the GOGC of all compared programs: the environment's, or 100.
func gcPercent() string {
	if percent := os.Getenv("GOGC"); percent != "" {
		return percent
	}
	return "100"
}
