//go:build linux

// Package load generates HTTP load and measures throughput, statuses and latency.
//
// Two modes: saturated (closed model), in which each connection sends its next
// request after a response, and steady (open model), in which requests are due at
// a fixed rate. Latency is measured in the steady mode only, from the moment at
// which a request was due, which avoids coordinated omission.
//
// Guarantees: every status is checked, and unexpected ones are in
// [Result.Wrong]; requests are HTTP/1.1 on keep-alive connections; the generator
// uses a few microseconds per request.
package load

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Plan describes the requests, their target and their duration.
type Plan struct {
	Address     string   // host:port
	Connections int      // at a time
	Requests    [][]byte // whole requests without a body, sent in turn
	Want        int      // the status that each answer should have

	Rate   int           // requests a second; 0: saturated
	Warmup time.Duration // before anything is counted
	Length time.Duration // of what is counted
}

// Result is what was measured within a plan's Length.
type Result struct {
	Answers int           // all of them
	Wrong   map[int]int   // other statuses than wanted, 0 for a broken connection; of the warm-up, too
	Took    time.Duration // the Length as it was
	P50     time.Duration // of the steady mode
	P99     time.Duration // of the steady mode
}

// Run executes a plan. mark is called when measuring begins and when it ends. An
// error means that the server refused connections, or hung.
func Run(ctx context.Context, plan Plan, mark func() error) (Result, error) {
	limit := plan.Warmup + plan.Length + hangTimeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := &run{plan: plan, deadline: time.Now().Add(limit), wrong: map[int]int{}}
	clients := make([]*client, plan.Connections)
	for i := range clients {
		clients[i] = &client{run: r}
		if err := clients[i].connect(ctx); err != nil {
			return Result{}, err
		}
		defer func() { _ = clients[i].conn.Close() }()
	}
	work := r.saturate
	if plan.Rate > 0 {
		r.schedule()
		work = r.sendDue
	}
	var group sync.WaitGroup
	for _, c := range clients {
		group.Go(func() {
			if err := work(ctx, c); err != nil {
				fail(fmt.Errorf("load on %s: %w", plan.Address, err))
			}
		})
	}
	result, err := r.count(ctx, mark)
	r.ended.Store(time.Now().UnixNano())
	group.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	result.Wrong = r.wrong
	result.P50, result.P99 = quantiles(clients)
	return result, err
}

// Once sends each request of a plan once, so that their tokens are introspected
// before the load begins: rate is how many a second.
func Once(ctx context.Context, plan Plan, rate int) error {
	plan.Rate, plan.Warmup = rate, 0
	plan.Length = time.Second * time.Duration(len(plan.Requests)) / time.Duration(plan.Rate)
	_, err := Run(ctx, plan, func() error { return nil })
	return err
}

// hangTimeout is how much longer than planned a run may take.
const hangTimeout = 5 * time.Second

// run is the shared state of a plan's connections.
type run struct {
	plan     Plan
	deadline time.Time
	due      chan time.Time // steady: when each request should be sent
	next     atomic.Uint64  // request
	answers  atomic.Int64
	began    atomic.Int64 // when counting began, in nanoseconds since 1970; 0: not yet
	ended    atomic.Int64 // when it ended, likewise

	mu    sync.Mutex
	wrong map[int]int
}

// count waits for the warm-up, and then for the measured time.
func (r *run) count(ctx context.Context, mark func() error) (Result, error) {
	if err := wait(ctx, r.plan.Warmup); err != nil {
		return Result{}, err
	}
	if err := mark(); err != nil {
		return Result{}, err
	}
	start, before := time.Now(), r.answers.Load()
	r.began.Store(start.UnixNano())
	if err := wait(ctx, r.plan.Length); err != nil {
		return Result{}, err
	}
	answers, took := r.answers.Load()-before, time.Since(start)
	return Result{Answers: int(answers), Took: took}, mark()
}

// saturate sends requests without pause.
func (r *run) saturate(ctx context.Context, c *client) error {
	for r.ended.Load() == 0 {
		if err := c.exchange(ctx); err != nil {
			return err
		}
	}
	return nil
}

// request returns the next request to send.
func (r *run) request() []byte {
	return r.plan.Requests[(r.next.Add(1)-1)%uint64(len(r.plan.Requests))]
}

// recordStatus counts a response's status.
func (r *run) recordStatus(status int) {
	r.answers.Add(1)
	if status == r.plan.Want {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong[status]++
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// quantiles returns the median and the 99th percentile of all latencies.
func quantiles(clients []*client) (p50, p99 time.Duration) {
	var all []time.Duration
	for _, c := range clients {
		all = append(all, c.latencies...)
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*99/100]
}
