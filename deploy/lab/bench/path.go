package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
	"github.com/quayside/quayside/deploy/bench/kernel"
	"github.com/quayside/quayside/deploy/bench/load"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// The sides of the comparison.
const (
	base       = "base"
	head       = "head"
	lowerbound = "lower bound"
)

// figures are what one measurement gave.
type figures struct {
	throughput float64                  // requests a second
	cpu        map[string]time.Duration // per request, by program
	p50, p99   time.Duration            // only at a fixed rate
}

func (f figures) total() time.Duration { return usage(f.cpu).total() }

// results are all measurements.
type results struct {
	settings settings
	machine  benchmark.Facts
	kinds    []string // in order
	measured map[string]map[string][]figures
}

func run(ctx context.Context, s settings) (_ *results, err error) {
	r := &results{settings: s, machine: benchmark.Describe(ctx, s.root), measured: map[string]map[string][]figures{}}
	var sides []*side
	var headStack *stack
	for _, c := range []struct{ name, commit string }{{base, s.base}, {head, s.head}} {
		_, _ = fmt.Fprintf(s.log, "starting  %s (%s)\n", c.name, c.commit)
		st, err := startStack(ctx, s, c.name, c.commit)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, st.stop()) }()
		_, _ = fmt.Fprintf(s.log, "filling   %s\n", c.name)
		sd, err := prepare(ctx, s, st)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		sides, headStack = append(sides, sd), st
	}
	bound, stop, err := startLowerBound(ctx, headStack, sides[1])
	if err != nil {
		return nil, err
	}
	defer stop()
	sides = append(sides, bound)
	for nth, k := range sides[0].kinds(s) {
		if !strings.HasPrefix(k.name, s.only) {
			continue
		}
		r.kinds = append(r.kinds, k.name)
		r.measured[k.name] = map[string][]figures{}
		for round := range s.rounds {
			for i := range sides {
				sd := sides[(i+round)%len(sides)]
				if sd.name == lowerbound && !k.bound {
					continue
				}
				k := sd.kinds(s)[nth]
				f, err := r.measure(ctx, sd, k)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", k.name, sd.name, err)
				}
				_, _ = fmt.Fprintf(s.log, "measured  %-32s %-11s %6.0f/s  %s CPU %v  p99 %s\n", k.name, sd.name, f.throughput, f.total(), f.cpu, f.p99)
				r.measured[k.name][sd.name] = append(r.measured[k.name][sd.name], f)
			}
		}
	}
	return r, nil
}

// prepare makes a stack's organizations.
func prepare(ctx context.Context, s settings, st *stack) (*side, error) {
	sd := &side{name: st.name, address: st.address, cpu: func() (usage, error) { return cpuOf(st.cmd.Process.Pid) }}
	for _, o := range []struct {
		name      string
		tokens    int
		shipments int
		into      *organization
	}{{"Eight shipments", s.tokens, 8, &sd.small}, {"Writes", 100, 0, &sd.writer}, {"Many shipments", 100, 8, &sd.large}} {
		if o.into == &sd.large && s.large == 0 {
			continue
		}
		id, err := st.CreateOrganization(ctx, o.name)
		if err != nil {
			return nil, err
		}
		tokens, err := st.CreateTokens(ctx, o.tokens, id, "admin", "--limit", "1000000", "--window-seconds", "60")
		if err != nil {
			return nil, err
		}
		if o.into.id, err = postgresID(id); err != nil {
			return nil, err
		}
		for _, token := range tokens {
			o.into.clients = append(o.into.clients, client{address: st.address, token: token})
		}
		if o.into == &sd.large {
			dsn, err := st.dsn("shipments-svc")
			if err != nil {
				return nil, err
			}
			if err := fill(ctx, dsn, o.into.id, s.large); err != nil {
				return nil, err
			}
		}
		if o.into.shipments, err = o.into.clients[0].createShipments(ctx, o.shipments); err != nil {
			return nil, err
		}
	}
	return sd, nil
}

// startLowerBound starts this program as the lower bound, over the database of
// head.
func startLowerBound(ctx context.Context, st *stack, of *side) (_ *side, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	addresses, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return nil, nil, err
	}
	address := addresses[0]
	dsn, err := st.dsn("shipments-svc")
	if err != nil {
		return nil, nil, err
	}
	service := devstack.NewProgram(devstack.ProgramConfig{
		Name: lowerBoundCommand, Command: []string{self, lowerBoundCommand, address, dsn, of.small.id, of.writer.id},
		Address: address, Inner: address, LogDir: st.dir,
	})
	stop = func() { _ = service.Stop() } // its measurements are complete
	sd := &side{name: lowerbound, address: address, small: organization{id: of.small.id}, writer: organization{id: of.writer.id}}
	for _, shipment := range of.small.shipments {
		id, err := postgresID(shipment)
		if err != nil {
			return nil, stop, err
		}
		sd.small.shipments = append(sd.small.shipments, id)
	}
	for range of.small.clients {
		sd.small.clients = append(sd.small.clients, client{address: address})
	}
	sd.writer.clients = sd.small.clients
	sd.cpu = func() (usage, error) {
		own, err := kernel.CPUTime(service.PID())
		if err != nil {
			return nil, err
		}
		stack, err := of.cpu()
		return usage{"service": own, "postgres": stack["postgres"]}, err
	}
	return sd, stop, service.Start(ctx)
}

// measure sends one kind of traffic to a side.
func (r *results) measure(ctx context.Context, sd *side, k kind) (f figures, err error) {
	if k.fresh != nil {
		if k.requests, err = k.fresh(ctx); err != nil {
			return f, err
		}
	}
	plan := load.Plan{
		Address: sd.address, Connections: r.settings.connections, Requests: k.requests, Want: k.wants[0],
		Rate: k.rate, Warmup: r.settings.warmup, Length: r.settings.length,
	}
	if k.share > 0 {
		plan.Rate = int(k.share * median(r.measured[k.of][sd.name], func(f figures) float64 { return f.throughput }))
	}
	if k.fresh == nil {
		if err := load.Once(ctx, plan, 500); err != nil {
			return f, err
		}
	}
	var before, after usage
	result, err := load.Run(ctx, plan, func() (err error) {
		before, after = after, nil
		after, err = sd.cpu()
		return err
	})
	if err != nil {
		return f, err
	}
	for status, n := range result.Wrong {
		if !slices.Contains(k.wants, status) {
			return f, fmt.Errorf("%d responses with status %d", n, status)
		}
	}
	f = figures{throughput: float64(result.Answers) / result.Took.Seconds(), cpu: map[string]time.Duration{}, p50: result.P50, p99: result.P99}
	for program, used := range after.since(before) {
		f.cpu[program] = used / time.Duration(max(result.Answers, 1))
	}
	return f, nil
}

// median returns the median of one figure; 0 without measurements.
func median[T int64 | float64 | time.Duration](all []figures, of func(figures) T) T {
	if len(all) == 0 {
		return 0
	}
	return T(benchmark.MedianOf(all, func(f figures) float64 { return float64(of(f)) }))
}
