package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// steps is the part of the report that is written by hand: what each change
// gained when it was made.
//
//go:embed STEPS.md
var steps string

// programs are the columns of CPU time.
var programs = []string{"gateway", "shipments-svc", "tokens-svc", "postgres", "redis-server", "service"}

// ratio returns a figure of head divided by another side's.
func (r *results) ratio(kind, to string, figure func(figures) float64) float64 {
	divisor := median(r.measured[kind][to], figure)
	if divisor == 0 {
		return 0
	}
	return median(r.measured[kind][head], figure) / divisor
}

func cpu(f figures) float64        { return float64(f.total()) }
func throughput(f figures) float64 { return f.throughput }

// goals evaluates the goals, without those that -only left out.
func (r *results) goals() (all []benchmark.Goal) {
	goal := func(title string, got, want float64, sign string, met bool) {
		if got > 0 {
			all = append(all, benchmark.Goal{Title: title, Limit: fmt.Sprintf("%s %g", sign, want), Measured: fmt.Sprintf("%.2f", got), Met: met})
		}
	}
	atMost := func(title string, got, want float64) { goal(title, got, want, "≤", got <= want) }
	atLeast := func(title string, got, want float64) { goal(title, got, want, "≥", got >= want) }
	list := "list, 8 rows"
	atMost("CPU of a list, of base's", r.ratio(list, base, cpu), 0.42)
	atMost("CPU of a get, of base's", r.ratio("get", base, cpu), 0.5)
	atMost("CPU of a create, of base's", r.ratio("create", base, cpu), 0.6)
	atMost("CPU of a token, of base's", r.ratio("token", base, cpu), 0.7)
	atLeast("throughput of lists, of base's", r.ratio(list, base, throughput), 2.3)
	atMost("CPU of a list at 300 requests/s, of base's", r.ratio(list+", 300/s", base, cpu), 0.5)
	atMost("CPU of a list, of the lower bound's", r.ratio(list, lowerbound, cpu), 3)
	for _, kind := range r.kinds {
		if strings.HasSuffix(kind, "half capacity") {
			p99 := median(r.measured[kind][head], func(f figures) time.Duration { return f.p99 })
			atMost("p99 of the "+kind+", ms", float64(p99)/float64(time.Millisecond), 25)
		}
	}
	return all
}

// Check implements benchmark.Report.
func (r *results) Check(strict bool) error {
	if !strict {
		return nil
	}
	return benchmark.CheckGoals(r.goals())
}

// Markdown implements benchmark.Report.
func (r *results) Markdown() string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	m := r.machine
	say("# The whole path of a request\n")
	say("`make bench-path`, %s. base is %s, head is %s; %s, %d cores shared by load, stacks and databases, Linux %s, %s; load before the run %s.",
		m.Date, r.settings.base, r.settings.head, m.Processor, m.Cores, m.Kernel, m.Go, m.Load)
	say("Medians of %d rounds of %s, the sides in turn; %d connections, %d tokens. CPU is milliseconds per request.\n", r.settings.rounds, r.settings.length, r.settings.connections, r.settings.tokens)
	benchmark.WriteGoals(say, r.goals())
	for _, kind := range r.kinds {
		say("\n## %s\n", kind)
		say("| | requests/s | total CPU | %s | p50 | p99 |\n|---|---|---|%s---|---|", strings.Join(programs, " | "), strings.Repeat("---|", len(programs)))
		for _, name := range []string{base, head, lowerbound} {
			all := r.measured[kind][name]
			if len(all) == 0 {
				continue
			}
			row := []string{name, fmt.Sprintf("%.0f", median(all, throughput)), milliseconds(median(all, figures.total))}
			for _, program := range programs {
				row = append(row, milliseconds(median(all, func(f figures) time.Duration { return f.cpu[program] })))
			}
			row = append(row, milliseconds(median(all, func(f figures) time.Duration { return f.p50 })), milliseconds(median(all, func(f figures) time.Duration { return f.p99 })))
			say("| %s |", strings.Join(row, " | "))
		}
		if len(r.measured[kind][base]) > 0 {
			say("\nhead uses %.2f of base's CPU%s.", r.ratio(kind, base, cpu), spread(r.measured[kind]))
		}
	}
	return out.String() + "\n" + steps
}

// spread is the range of the ratio over the rounds.
func spread(sides map[string][]figures) string {
	n := min(len(sides[base]), len(sides[head]))
	if n < 2 {
		return ""
	}
	ratios := make([]float64, n)
	for i := range n {
		ratios[i] = cpu(sides[head][i]) / max(cpu(sides[base][i]), 1)
	}
	return fmt.Sprintf(" (%.2f–%.2f by round)", slices.Min(ratios), slices.Max(ratios))
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}
