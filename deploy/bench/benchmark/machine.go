package benchmark

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Facts are collected before the run, so that the load average is not its own.
type Facts struct {
	Date      string // UTC, as 2006-01-02
	Processor string
	Cores     int
	Kernel    string
	Go        string // the toolchain's version
	Commit    string // of the repository, "-dirty" at the end if files were changed
	Load      string // /proc/loadavg
}

// Describe collects the facts; missing ones are "unknown". root is the repository.
func Describe(ctx context.Context, root string) Facts {
	f := Facts{
		Date: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Go: runtime.Version(),
		Processor: fieldOf("/proc/cpuinfo", "model name"),
		Kernel:    firstLine("/proc/sys/kernel/osrelease"),
		Load:      firstLine("/proc/loadavg"),
		Commit:    "unknown",
	}
	cmd := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil {
		f.Commit = strings.TrimSpace(string(out))
	}
	return f
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
