//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// errMissed means that a goal was missed. The report names it.
var errMissed = errors.New("a goal was missed")

// goal is the most that a figure of a kind on a side may be, as a ratio of the
// same figure of another kind or side.
type goal struct {
	kind, side     string
	ofKind, ofSide string // empty: the same
	what           string
	figure         func(figures) float64
	most           float64
}

func cpu(f figures) float64 { return float64(f.cpu.total()) }

func p99(f figures) float64 { return float64(f.p99) }

// ratios returns those of each round, or none if a side was not measured.
func (g goal) ratios(measured map[string]map[string][]figures) (all []float64) {
	ours := measured[g.kind][g.side]
	theirs := measured[cmp.Or(g.ofKind, g.kind)][cmp.Or(g.ofSide, g.side)]
	for i := range min(len(ours), len(theirs)) {
		all = append(all, g.figure(ours[i])/g.figure(theirs[i]))
	}
	return all
}

// median returns the median, NaN of no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// report writes goals and figures as Markdown, and returns errMissed if a goal
// was missed.
func (c *comparison) report(out io.Writer, name, facts string) (err error) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	say("## bench %s\n\n%s; medians of %d rounds of %s.\n", name, facts, c.settings.rounds, c.settings.length)
	say("| traffic | figure | of | at most | measured | lowest – highest | |\n|---|---|---|---|---|---|---|")
	for _, g := range c.goals {
		ratios := g.ratios(c.measured)
		if len(ratios) == 0 {
			continue
		}
		verdict := "met"
		if median(ratios) > g.most {
			verdict, err = "**missed**", errMissed
		}
		say("| %s | %s | %s | %g | %.2f | %.2f – %.2f | %s |", g.kind, g.what, cmp.Or(g.ofSide, g.ofKind), g.most,
			median(ratios), slices.Min(ratios), slices.Max(ratios), verdict)
	}
	say("\nCPU is milliseconds per request.\n")
	say("| traffic | side | requests/s | CPU | of which | p99 ms |\n|---|---|---|---|---|---|")
	for _, k := range c.kinds {
		for _, s := range c.sides {
			if all := c.measured[k.name][s.name]; len(all) > 0 {
				say("| %s | %s | %.0f | %.3f | %s | %.2f |", k.name, s.name,
					of(all, func(f figures) float64 { return f.throughput }),
					of(all, cpu)/float64(time.Millisecond), programs(all),
					of(all, p99)/float64(time.Millisecond))
			}
		}
	}
	return err
}

// of returns the median of a figure of all rounds.
func of(all []figures, figure func(figures) float64) float64 {
	values := make([]float64, len(all))
	for i, f := range all {
		values[i] = figure(f)
	}
	return median(values)
}

// programs lists the CPU time of each program, if there are several.
func programs(all []figures) string {
	names := slices.Sorted(maps.Keys(all[0].cpu))
	if len(names) < 2 {
		return ""
	}
	var parts []string
	for _, name := range names {
		used := of(all, func(f figures) float64 { return float64(f.cpu[name]) }) / float64(time.Millisecond)
		if used >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, used))
		}
	}
	return strings.Join(parts, ", ")
}

// describe is what a reader of figures needs to know, before the run: the load
// average is not its own.
func describe(ctx context.Context, s settings) string {
	commit, err := git(ctx, s.root, "describe", "--always", "--dirty", "--abbrev=12")
	if err != nil {
		commit = "unknown commit"
	}
	load, _ := os.ReadFile("/proc/loadavg") // empty on an error
	return fmt.Sprintf("%s, %s, %s, %d cores; load before the run %s",
		time.Now().UTC().Format(time.DateOnly), commit, runtime.Version(), runtime.NumCPU(), strings.TrimSpace(string(load)))
}

// git runs a git command in dir and returns its output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
