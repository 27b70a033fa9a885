package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
	"github.com/quayside/quayside/deploy/bench/load"
)

// mode is how requests are sent.
type mode string

// The modes.
const (
	saturated mode = "saturated" // each connection sends the next when it has an answer
	steady    mode = "steady"    // at a fixed rate
)

// figures are the result of one measurement. CPU is in seconds per 1,000 requests.
type figures struct {
	answers    int
	throughput float64 // requests a second
	cpu        float64 // of the program
	redisCPU   float64
	busy       float64       // the share of its cores that the program used
	p50, p99   time.Duration // steady only
	wrong      map[int]int   // answers by status that should have been another
}

// measure sends a scenario's requests to one of the servers.
func (r *testbed) measure(ctx context.Context, sc scenario, m mode, target string) (figures, error) {
	s := r.servers[target]
	plan := load.Plan{
		Address: s.Address, Connections: r.settings.connections, Requests: sc.requests, Want: http.StatusOK,
		RenewAfter: sc.renewAfter, Warmup: r.settings.warmup, Length: r.settings.length,
	}
	if m == steady {
		plan.Rate = r.settings.rate
	}
	if target == gateway {
		plan.Want = sc.want
		if err := load.Once(ctx, plan, 1000); err != nil {
			return figures{}, fmt.Errorf("%s: %w:\n%s", target, err, s.LogTail())
		}
	}
	var clocks stopwatch
	result, err := load.Run(ctx, plan, func() error { return clocks.read(s.PID(), r.redisPID) })
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w:\n%s", target, err, s.LogTail())
	}
	perThousand := 1000 / math.Max(float64(result.Answers), 1)
	return figures{
		answers:    result.Answers,
		throughput: float64(result.Answers) / result.Took.Seconds(),
		cpu:        clocks.program.Seconds() * perThousand,
		redisCPU:   clocks.redis.Seconds() * perThousand,
		busy:       clocks.program.Seconds() / result.Took.Seconds() / float64(r.cores.given),
		p50:        result.P50, p99: result.P99, wrong: result.Wrong,
	}, os.Truncate(s.LogPath(), 0)
}

// stopwatch measures CPU time between two readings.
type stopwatch struct{ program, redis time.Duration }

// read takes a reading; the second leaves the differences.
func (w *stopwatch) read(program, redis int) error {
	for pid, used := range map[int]*time.Duration{program: &w.program, redis: &w.redis} {
		if pid == 0 {
			continue // Redis is gone
		}
		now, err := kernel.CPUTime(pid)
		if err != nil {
			return err
		}
		*used = now - *used
	}
	return nil
}
