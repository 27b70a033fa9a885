// Package load sends HTTP requests and tells what came back, how many a second
// and after how long.
//
// Two modes: saturated, in which each connection sends its next request when
// it has its answer, and steady, in which requests are due at a fixed rate
// whatever the server does. Latency is told of the steady mode only, and
// counted from the moment at which a request was due: a server that stalls for
// a second is charged for every request that had to wait meanwhile, not only
// for those that happened to be under way (coordinated omission).
//
// Its guarantees: every answer's status is checked, and what is not as wanted
// is in [Result.Wrong]; the requests are HTTP/1.1 on kept-alive connections;
// the generator's own work per request is a few microseconds.
package load

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Plan says what to send, where and for how long.
type Plan struct {
	Address     string   // host:port
	Connections int      // at a time
	Requests    [][]byte // whole requests without a body, sent in turn
	Want        int      // the status that each answer should have

	// RenewAfter is the number of requests after which a connection is
	// replaced by one from a client address that was not used before. 0: never,
	// and all from 127.0.0.1.
	RenewAfter int

	Rate   int           // requests a second; 0: saturated
	Warmup time.Duration // before anything is counted
	Length time.Duration // of what is counted
}

// Result is what was seen within a plan's Length.
type Result struct {
	Answers int           // all of them
	Wrong   map[int]int   // answers that were not as wanted, by status, 0 for a broken connection; of the warm-up, too
	Took    time.Duration // the Length as it was
	P50     time.Duration // of the steady mode
	P99     time.Duration // of the steady mode
}

// Run carries out a plan. mark is called when counting begins and when it ends.
// An error says that the server could not be connected to, or hung.
func Run(ctx context.Context, plan Plan, mark func() error) (Result, error) {
	limit := plan.Warmup + plan.Length + patience
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
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
		stop, err := r.schedule()
		if err != nil {
			return Result{}, err
		}
		defer stop()
		work = r.keepPace
	}
	var group sync.WaitGroup
	for _, c := range clients {
		group.Go(func() {
			if err := work(ctx, c); err != nil {
				r.fail(err)
				cancel()
			}
		})
	}
	result, err := r.count(ctx, mark)
	r.ended.Store(time.Now().UnixNano())
	group.Wait()
	if err == nil {
		err = r.failure
	}
	result.Wrong = r.wrong
	result.P50, result.P99 = quantiles(clients)
	return result, err
}

// patience is how much longer than planned a run may take before it is said to hang.
const patience = 5 * time.Second

// run is what the connections of one plan share.
type run struct {
	plan     Plan
	deadline time.Time
	due      chan time.Time // steady: when each request should be sent
	next     atomic.Uint64  // request
	answers  atomic.Int64
	began    atomic.Int64 // when counting began, in nanoseconds since 1970; 0: not yet
	ended    atomic.Int64 // when it ended, likewise

	mu      sync.Mutex
	wrong   map[int]int
	failure error
}

// count waits for the warm-up to pass, and then for what counts.
func (r *run) count(ctx context.Context, mark func() error) (Result, error) {
	if err := wait(ctx, r.plan.Warmup); err != nil {
		return Result{}, r.failed(err)
	}
	if err := mark(); err != nil {
		return Result{}, err
	}
	start, before := time.Now(), r.answers.Load()
	r.began.Store(start.UnixNano())
	if err := wait(ctx, r.plan.Length); err != nil {
		return Result{}, r.failed(err)
	}
	answers, took := r.answers.Load()-before, time.Since(start)
	return Result{Answers: int(answers), Took: took}, mark()
}

// saturate sends one request after the other.
func (r *run) saturate(ctx context.Context, c *client) error {
	for r.ended.Load() == 0 {
		if err := c.exchange(ctx); err != nil {
			return err
		}
	}
	return nil
}

// request returns the next one to send.
func (r *run) request() []byte {
	return r.plan.Requests[(r.next.Add(1)-1)%uint64(len(r.plan.Requests))]
}

// answered notes an answer's status.
func (r *run) answered(status int) {
	r.answers.Add(1)
	if status == r.plan.Want {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong[status]++
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = fmt.Errorf("load on %s: %w", r.plan.Address, err)
	}
}

// failed prefers the cause to the cancellation that followed from it.
func (r *run) failed(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure != nil {
		return r.failure
	}
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
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

// addresses counts the client addresses that were given out.
var addresses atomic.Uint32

// freshAddress returns a loopback address that this process has not used:
// 127.1.0.0 and on, 16 million of them.
func freshAddress() netip.Addr {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], 127<<24+1<<16+addresses.Add(1))
	return netip.AddrFrom4(bytes)
}
