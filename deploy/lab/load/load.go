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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"
)

// Plan describes the requests, their target and their duration.
type Plan struct {
	Address     string // host:port
	Connections int    // at a time
	Requests    []Request
	Want        int // the status that each response should have

	Rate   int           // requests a second; 0: saturated
	Warmup time.Duration // before anything is counted
	Length time.Duration // of what is counted
}

// Request is a GET. They are sent in turn.
type Request struct{ Path, Token string }

// Result is what was measured within a plan's Length.
type Result struct {
	Answers int           // all of them
	Wrong   map[int]int   // other statuses than wanted, 0 without a response; of the warm-up, too
	Took    time.Duration // the Length as it was
	P99     time.Duration // of the steady mode
}

// hangTimeout is how long a response may take.
const hangTimeout = 5 * time.Second

// run is the shared state of a plan's connections.
type run struct {
	plan    Plan
	client  *fasthttp.HostClient
	due     chan time.Time // steady: when each request should be sent
	next    atomic.Uint64  // request
	answers atomic.Int64
	ended   atomic.Bool

	mu      sync.Mutex
	wrong   map[int]int
	samples []sample
}

// sample is a request of the steady mode.
type sample struct {
	due     time.Time
	latency time.Duration
}

// Run executes a plan. mark is called when measuring begins and when it ends.
func Run(ctx context.Context, plan Plan, mark func() error) (Result, error) {
	r := &run{plan: plan, wrong: map[int]int{}, client: &fasthttp.HostClient{
		Addr: plan.Address, Name: "quayside-bench", MaxConns: plan.Connections, MaxIdemponentCallAttempts: 1,
		ReadTimeout: hangTimeout, WriteTimeout: hangTimeout,
	}}
	defer r.client.CloseIdleConnections()
	if plan.Rate > 0 {
		r.schedule()
	}
	var group sync.WaitGroup
	for range plan.Connections {
		group.Go(r.work)
	}
	start, result, err := r.count(ctx, mark)
	r.ended.Store(true)
	group.Wait()
	result.Wrong = r.wrong
	var latencies []time.Duration
	for _, s := range r.samples {
		if !s.due.Before(start) {
			latencies = append(latencies, s.latency)
		}
	}
	if slices.Sort(latencies); len(latencies) > 0 {
		result.P99 = latencies[len(latencies)*99/100]
	}
	return result, err
}

// Warm sends each request of a plan at least once, so that their tokens are introspected
// before the load begins: rate is how many a second.
func Warm(ctx context.Context, plan Plan, rate int) error {
	plan.Rate, plan.Warmup = rate, 0
	plan.Length = time.Second + time.Second*time.Duration(len(plan.Requests))/time.Duration(rate)
	_, err := Run(ctx, plan, func() error { return nil })
	return err
}

// count waits for the warm-up, and then for the measured time.
func (r *run) count(ctx context.Context, mark func() error) (start time.Time, result Result, err error) {
	if err := wait(ctx, r.plan.Warmup); err != nil {
		return start, result, err
	}
	if err := mark(); err != nil {
		return start, result, err
	}
	start, before := time.Now(), r.answers.Load()
	if err := wait(ctx, r.plan.Length); err != nil {
		return start, result, err
	}
	result.Answers, result.Took = int(r.answers.Load()-before), time.Since(start)
	return start, result, mark()
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// schedule makes requests due at an interval until the run has ended. The queue holds a whole plan, so the server
// cannot delay it. It sleeps in the kernel: the timers of an idle Go program are rounded to milliseconds.
func (r *run) schedule() {
	interval := time.Second / time.Duration(r.plan.Rate)
	r.due = make(chan time.Time, (r.plan.Warmup+r.plan.Length+hangTimeout)/interval)
	go func() {
		defer close(r.due)
		due := time.Now()
		for n := 0; n < cap(r.due) && !r.ended.Load(); n++ {
			due = due.Add(interval)
			if left := time.Until(due); left > 0 {
				pause := unix.NsecToTimespec(left.Nanoseconds())
				_ = unix.Nanosleep(&pause, nil) // a signal makes one request early
			}
			r.due <- due
		}
	}()
}

// work is one connection. Requests that are due and not sent at the end count with the latency they have by then.
func (r *run) work() {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	request.Header.Set("Accept", "application/json")
	if r.plan.Rate == 0 {
		for !r.ended.Load() {
			r.exchange(request, response)
		}
		return
	}
	var samples []sample
	for due := range r.due {
		if !r.ended.Load() {
			r.exchange(request, response)
		}
		samples = append(samples, sample{due, time.Since(due)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.samples = append(r.samples, samples...)
}

// exchange sends the next request and reads the whole response.
func (r *run) exchange(request *fasthttp.Request, response *fasthttp.Response) {
	next := r.plan.Requests[(r.next.Add(1)-1)%uint64(len(r.plan.Requests))]
	request.SetRequestURI("http://api.example" + next.Path)
	request.Header.Set("Authorization", "Bearer "+next.Token)
	status := 0
	if err := r.client.Do(request, response); err == nil {
		status = response.StatusCode()
	}
	r.answers.Add(1)
	if status != r.plan.Want {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wrong[status]++
	}
}
