//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/quayside/quayside/deploy/lab/load"
)

// errMissed means that a goal was missed. The report names it.
var errMissed = errors.New("a goal was missed")

// kind is one kind of traffic, and the most that ours may use of what the other uses.
type kind struct {
	name     string
	rate     int // requests a second; 0: saturated
	ours     side
	other    side
	cpu, p99 float64 // the goals; 0: none

	rounds [][2]figures // of ours and the other
}

// side is a program or a stack with the requests that it gets.
type side struct {
	name     string
	address  string
	pid      int // of the process whose CPU time, and that of its children, counts
	requests []load.Request
	want     int // the status of the responses
}

// figures are what one measurement gave.
type figures struct {
	throughput float64 // requests a second
	cpu        float64 // milliseconds per request
	p99        float64 // milliseconds; only at a fixed rate
}

// compare measures every kind of traffic on both sides in every round, in alternating order, and reports.
func (s settings) compare(ctx context.Context, facts string, kinds []kind) error {
	for round := range s.rounds {
		for i, k := range kinds {
			var both [2]figures
			for turn := range both {
				n := (turn + round) % 2
				of := []side{k.ours, k.other}[n]
				f, err := s.measure(ctx, of, k.rate)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", k.name, of.name, err)
				}
				_, _ = fmt.Fprintf(s.log, "round %d  %-34s %-11s %6.0f/s  %.3f ms CPU\n",
					round+1, k.name, of.name, f.throughput, f.cpu)
				both[n] = f
			}
			kinds[i].rounds = append(k.rounds, both)
		}
	}
	return report(s.out, facts, kinds)
}

// measure sends one kind of traffic to a side, each request before: tokens
// are known and statements prepared when the load begins.
func (s settings) measure(ctx context.Context, of side, rate int) (f figures, err error) {
	plan := load.Plan{
		Address: of.address, Connections: s.connections, Requests: of.requests, Want: of.want,
		Rate: rate, Warmup: s.warmup, Length: s.length,
	}
	if err := load.Warm(ctx, plan, 1000); err != nil {
		return f, err
	}
	var before, after time.Duration
	result, err := load.Run(ctx, plan, func() (err error) {
		before = after
		after, err = cpuOf(of.pid)
		return err
	})
	if err != nil {
		return f, err
	}
	if len(result.Wrong) > 0 || result.Answers == 0 {
		return f, fmt.Errorf("statuses other than %d (0: no response): %v", of.want, result.Wrong)
	}
	answers := float64(result.Answers)
	return figures{answers / result.Took.Seconds(), ms(after-before) / answers, ms(result.P99)}, nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// report writes goals and figures as Markdown, and returns errMissed if a goal
// was missed.
func report(out io.Writer, facts string, kinds []kind) (err error) {
	print := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	cpu, p99 := func(f figures) float64 { return f.cpu }, func(f figures) float64 { return f.p99 }
	print("%s\n\n| traffic | figure | at most | measured | lowest – highest | |\n|---|---|---|---|---|---|", facts)
	for _, k := range kinds {
		for _, g := range []struct {
			what   string
			figure func(figures) float64
			most   float64
		}{{"CPU", cpu, k.cpu}, {"p99", p99, k.p99}} {
			if g.most == 0 {
				continue
			}
			ratios := each(k.rounds, func(r [2]figures) float64 { return g.figure(r[0]) / g.figure(r[1]) })
			verdict := "met"
			if median(ratios) > g.most {
				verdict, err = "**missed**", errMissed
			}
			print("| %s | %s of %s | %g | %.2f | %.2f – %.2f | %s |", k.name, g.what, k.other.name, g.most,
				median(ratios), slices.Min(ratios), slices.Max(ratios), verdict)
		}
	}
	print("\n| traffic | side | requests/s | CPU ms per request | p99 ms |\n|---|---|---|---|---|")
	for _, k := range kinds {
		for n, of := range []side{k.ours, k.other} {
			middle := func(figure func(figures) float64) float64 {
				return median(each(k.rounds, func(r [2]figures) float64 { return figure(r[n]) }))
			}
			print("| %s | %s | %.0f | %.3f | %.2f |", k.name, of.name,
				middle(func(f figures) float64 { return f.throughput }), middle(cpu), middle(p99))
		}
	}
	return err
}

func each(rounds [][2]figures, figure func([2]figures) float64) (all []float64) {
	for _, r := range rounds {
		all = append(all, figure(r))
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
