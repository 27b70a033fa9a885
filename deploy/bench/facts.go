package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// facts say where and of what figures are.
type facts struct {
	date, processor, kernel, golang, commit, redis, load string
	cores                                                int
}

// newFacts collects them before a run: what the run itself needs of the
// machine is not the load that it meets.
func newFacts(ctx context.Context, s settings) facts {
	f := facts{
		date: time.Now().UTC().Format(time.DateOnly), cores: runtime.NumCPU(), golang: runtime.Version(),
		processor: fieldOf("/proc/cpuinfo", "model name"),
		kernel:    firstLine("/proc/sys/kernel/osrelease"),
		load:      firstLine("/proc/loadavg"),
		commit:    "unknown",
	}
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12")
	cmd.Dir = s.root
	if out, err := cmd.Output(); err == nil {
		f.commit = strings.TrimSpace(string(out))
	}
	return f
}

// gcPercent is the GOGC of all programs that are compared: the caller's own,
// or Go's default.
func gcPercent() string {
	if percent := os.Getenv("GOGC"); percent != "" {
		return percent
	}
	return "100"
}

func firstLine(path string) string {
	text, err := os.ReadFile(path) //nolint:gosec // G304: files of the kernel
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// fieldOf returns the value of the first line "NAME : VALUE" of a file.
func fieldOf(path, name string) string {
	text, err := os.ReadFile(path) //nolint:gosec // G304: files of the kernel
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
