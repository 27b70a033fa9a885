package main

import (
	"os"

	"github.com/quayside/quayside/deploy/bench/machine"
)

// facts say where and of what figures are.
type facts struct {
	machine.Facts

	redis string // its version
}

// gcPercent is the GOGC of all programs that are compared: the caller's own,
// or Go's default.
func gcPercent() string {
	if percent := os.Getenv("GOGC"); percent != "" {
		return percent
	}
	return "100"
}
