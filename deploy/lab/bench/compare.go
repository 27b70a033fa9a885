//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/quayside/quayside/deploy/lab/load"
	"github.com/quayside/quayside/deploy/lab/proc"
)

// side is one of the programs or stacks that are compared.
type side struct {
	name    string
	address string
	cpu     func() (usage, error) // used so far
}

// usage is CPU time by program.
type usage map[string]time.Duration

func (u usage) total() (sum time.Duration) {
	for _, used := range u {
		sum += used
	}
	return sum
}

// kind is one kind of traffic.
type kind struct {
	name string
	rate int                // requests a second; 0: saturated
	to   map[string]traffic // by side
}

// traffic is what one side gets, in turn, and the status that it must answer.
type traffic struct {
	requests [][]byte
	want     int
}

// figures are what one measurement gave.
type figures struct {
	throughput float64       // requests a second
	cpu        usage         // per request
	p99        time.Duration // only at a fixed rate
}

// comparison is a run: every kind on every side in every round.
type comparison struct {
	settings settings
	sides    []side
	kinds    []kind
	goals    []goal
	measured map[string]map[string][]figures // by kind and side, of each round
}

// run measures everything.
func (c *comparison) run(ctx context.Context) error {
	c.measured = map[string]map[string][]figures{}
	c.kinds = slices.DeleteFunc(c.kinds, func(k kind) bool { return !c.settings.only.MatchString(k.name) })
	for round := range c.settings.rounds {
		order := slices.Clone(c.sides)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, k := range c.kinds {
			if c.measured[k.name] == nil {
				c.measured[k.name] = map[string][]figures{}
			}
			for _, s := range order {
				t, ok := k.to[s.name]
				if !ok {
					continue
				}
				f, err := c.measure(ctx, s, k, t)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", k.name, s.name, err)
				}
				_, _ = fmt.Fprintf(c.settings.log, "round %d  %-34s %-11s %6.0f/s  %s CPU\n",
					round+1, k.name, s.name, f.throughput, f.cpu.total())
				c.measured[k.name][s.name] = append(c.measured[k.name][s.name], f)
			}
		}
	}
	return nil
}

// measure sends one kind of traffic to a side, each request once before: tokens
// are known and statements prepared when the load begins.
func (c *comparison) measure(ctx context.Context, s side, k kind, t traffic) (f figures, err error) {
	plan := load.Plan{
		Address: s.address, Connections: c.settings.connections, Requests: t.requests, Want: t.want,
		Rate: k.rate, Warmup: c.settings.warmup, Length: c.settings.length,
	}
	if err := load.Once(ctx, plan, 1000); err != nil {
		return f, err
	}
	var before, after usage
	result, err := load.Run(ctx, plan, func() (err error) {
		before = after
		after, err = s.cpu()
		return err
	})
	if err != nil {
		return f, err
	}
	if len(result.Wrong) > 0 || result.Answers == 0 {
		return f, fmt.Errorf("statuses other than %d (0: a broken connection): %v", t.want, result.Wrong)
	}
	throughput := float64(result.Answers) / result.Took.Seconds()
	f = figures{throughput: throughput, cpu: usage{}, p99: result.P99}
	for program, used := range after {
		f.cpu[program] = (used - before[program]) / time.Duration(result.Answers)
	}
	return f, nil
}

// cpuOf returns the CPU time that a process and its descendants have used, by program. That of a child that has ended
// is in its parent's, so that workers which come and go count. The kernel reports it in steps of 10 ms.
func cpuOf(root int) (usage, error) {
	const clockTick = 10 * time.Millisecond // USER_HZ is 100 on every Linux that Go supports
	processes, err := proc.Family(root)
	if err != nil {
		return nil, err
	}
	used := usage{}
	for _, p := range processes {
		used[p.Comm] += time.Duration(int(p.UTime+p.STime)+p.CUTime+p.CSTime) * clockTick
	}
	return used, nil
}
