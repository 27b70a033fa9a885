package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// queue is a fake of Jobs and Service.
type queue struct {
	mu       sync.Mutex
	waiting  []shipments.Job
	begun    []int // runs
	extended int
	released []time.Duration
	outcomes []Outcome

	process func(context.Context, shipments.Job) error
	failing error // of Claim
	hanging bool  // Claim, until its context ends
	lost    bool  // what Extend says
	log     bytes.Buffer
}

func (q *queue) Claim(ctx context.Context, lease shipments.Lease, turn shipments.Turn) (shipments.Job, error) {
	if q.hanging {
		<-ctx.Done()
		return shipments.Job{}, shipments.ErrUnavailable
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failing != nil {
		return shipments.Job{}, q.failing
	}
	next := -1 // the first job of the first organization after turn.After, and else of the first
	before := func(a, b shipments.Organization) bool {
		late := func(o shipments.Organization) bool { return bytes.Compare(o[:], turn.After[:]) <= 0 }
		return late(a) != late(b) && late(b) || late(a) == late(b) && bytes.Compare(a[:], b[:]) < 0
	}
	for i, j := range q.waiting {
		org := shipments.OrganizationOf(j.Org)
		if !slices.Contains(turn.Except, org) && (next < 0 || before(org, shipments.OrganizationOf(q.waiting[next].Org))) {
			next = i
		}
	}
	if next < 0 {
		return shipments.Job{}, shipments.ErrNoJob
	}
	j := q.waiting[next]
	q.waiting = slices.Delete(slices.Clone(q.waiting), next, next+1)
	j.Lease = lease
	return j, nil
}

func (q *queue) Begin(_ context.Context, j shipments.Job) (shipments.Document, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun = append(q.begun, j.Run)
	return shipments.Document{Run: j.Run}, nil
}

func (q *queue) Extend(context.Context, shipments.Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extended++; q.lost {
		return shipments.ErrLost
	}
	return nil
}

func (q *queue) Release(ctx context.Context, _ shipments.Job, after time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.released = append(q.released, after)
	return ctx.Err()
}

func (q *queue) Process(ctx context.Context, j shipments.Job, _ shipments.Document) error {
	return q.process(ctx, j)
}

func (q *queue) pool(notified <-chan struct{}) *Pool {
	return New(q, q, notified, slog.New(slog.NewTextHandler(&q.log, nil)), func(o Outcome, _ time.Duration) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.outcomes = append(q.outcomes, o)
	})
}

// run runs workers for a while.
func (q *queue) run(t *testing.T, workers int, notified <-chan struct{}, long time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	q.pool(notified).Run(ctx, workers)
}

func TestJobsAreProcessedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{waiting: []shipments.Job{{Run: 1}, {Run: 2}, {Run: 3}}}
		q.process = func(context.Context, shipments.Job) error { time.Sleep(100 * time.Millisecond); return nil }
		q.run(t, 1, nil, 350*time.Millisecond) // no time for a poll
		if len(q.begun) != 3 || len(q.outcomes) != 3 || q.outcomes[0] != Published {
			t.Errorf("%+v", q)
		}
	})
}

func TestIdleWorkersAreNotifiedOrPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q, notified := &queue{}, make(chan struct{})
		var at []time.Duration
		start := time.Now()
		q.process = func(context.Context, shipments.Job) error {
			at = append(at, time.Since(start))
			return nil
		}
		put := func(after time.Duration, ring bool) {
			time.AfterFunc(after, func() {
				q.mu.Lock()
				q.waiting = append(q.waiting, shipments.Job{})
				q.mu.Unlock()
				if ring {
					notified <- struct{}{}
				}
			})
		}
		put(100*time.Millisecond, true)
		put(1500*time.Millisecond, false)
		q.run(t, 1, notified, 3*time.Second)
		if len(at) != 2 || at[0] != 100*time.Millisecond || at[1] != 2*time.Second {
			t.Errorf("done at %v", at)
		}
	})
}

// TestLeaseIsRenewed until it is lost; then the job is cancelled.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{waiting: []shipments.Job{{}}}
		q.process = func(ctx context.Context, _ shipments.Job) error {
			time.Sleep(2*shipments.LeaseTime + time.Second)
			q.mu.Lock()
			q.lost = true
			q.mu.Unlock()
			<-ctx.Done()
			return ctx.Err()
		}
		q.run(t, 1, nil, time.Minute)
		if q.extended != 7 || len(q.outcomes) != 1 || q.outcomes[0] != Lost || q.released != nil {
			t.Errorf("%d heartbeats, %v, released %v", q.extended, q.outcomes, q.released)
		}
	})
}

// TestOutagesAreRetriedForever: the job is released, so that the attempt does not count.
// A fault of the program counts: its lease expires.
func TestOutagesAreRetriedForever(t *testing.T) {
	t.Parallel()
	for err, released := range map[error][]time.Duration{
		fmt.Errorf("open file: %w", shipments.ErrUnavailable): {outageRetry}, errors.New("oops"): nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			q := &queue{waiting: []shipments.Job{{Attempt: shipments.MaxAttempts}}}
			q.process = func(context.Context, shipments.Job) error { return err }
			q.run(t, 1, nil, time.Minute)
			if !slices.Equal(q.released, released) || !slices.Equal(q.outcomes, []Outcome{Returned}) {
				t.Errorf("%v: released %v, %v", err, q.released, q.outcomes)
			}
			if n := strings.Count(q.log.String(), "reading a document failed"); n != 1 {
				t.Errorf("%d lines: %s", n, &q.log)
			}
		})
	}
}

// TestShutdownReleasesJobs at once.
func TestShutdownReleasesJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{waiting: []shipments.Job{{Attempt: 3}}}
		q.process = func(ctx context.Context, _ shipments.Job) error {
			<-ctx.Done()
			return ctx.Err()
		}
		q.run(t, 2, nil, time.Second)
		if len(q.released) != 1 || q.released[0] != 0 || q.outcomes[0] != Returned ||
			strings.Contains(q.log.String(), "again later") {
			t.Errorf("%v, %v", q.released, q.outcomes)
		}
	})
}

// TestShutdownDoesNotWaitForEachClaim where the database hangs.
func TestShutdownDoesNotWaitForEachClaim(t *testing.T) {
	t.Parallel()
	q, start := &queue{hanging: true}, time.Now() // of a clock: virtual time stands still while a mutex is waited for
	if q.run(t, 8, nil, claimTimeout/10); time.Since(start) > 4*claimTimeout {
		t.Errorf("it ended after %s", time.Since(start))
	}
}

// TestOutageIsNotLogged by workers: the connection pool logs it.
func TestOutageIsNotLogged(t *testing.T) {
	t.Parallel()
	for err, lines := range map[error]int{shipments.ErrUnavailable: 0, errors.New("oops"): 10} {
		synctest.Test(t, func(t *testing.T) {
			q := &queue{failing: err}
			q.run(t, 1, nil, 9500*time.Millisecond)
			if n := strings.Count(q.log.String(), "claiming a job failed"); n != lines {
				t.Errorf("%v: %d lines", err, n)
			}
		})
	}
}

// TestOneOrganizationDoesNotDelayAnother: a document is read at once beside fourteen
// slow ones of another organization, and two busy organizations get equal shares.
func TestOneOrganizationDoesNotDelayAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		for range 14 {
			q.waiting = append(q.waiting, shipments.Job{Org: shipments.OrgID{1}})
		}
		start, at := time.Now(), map[shipments.OrgID][]time.Duration{}
		q.process = func(_ context.Context, j shipments.Job) error {
			q.mu.Lock()
			at[j.Org] = append(at[j.Org], time.Since(start))
			q.mu.Unlock()
			if j.Org == (shipments.OrgID{1}) {
				time.Sleep(11 * time.Second)
			}
			return nil
		}
		notified := make(chan struct{})
		time.AfterFunc(5*time.Second, func() {
			q.mu.Lock()
			q.waiting = append(q.waiting, shipments.Job{Org: shipments.OrgID{2}})
			q.mu.Unlock()
			notified <- struct{}{}
		})
		q.run(t, 2, notified, 14*11*time.Second)
		if got := at[shipments.OrgID{2}]; len(got) != 1 || got[0] > 6*time.Second {
			t.Errorf("the other organization's document was read at %v", got)
		}
		if n := len(at[shipments.OrgID{1}]); n != 14 {
			t.Errorf("%d of 14 were read", n)
		}
	})
}

// TestRoundRobin: organizations take turns, for any number of jobs.
func TestRoundRobin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		for i := range 30 {
			q.waiting = append(q.waiting, shipments.Job{Org: shipments.OrgID{1 + byte(i/10)}})
		}
		var order []shipments.OrgID
		q.process = func(_ context.Context, j shipments.Job) error {
			q.mu.Lock()
			order = append(order, j.Org)
			q.mu.Unlock()
			time.Sleep(time.Second)
			return nil
		}
		q.run(t, 3, nil, time.Minute)
		for i := 0; i+3 <= 30 && i+3 <= len(order); i += 3 {
			seen := map[shipments.OrgID]bool{}
			for _, org := range order[i : i+3] {
				seen[org] = true
			}
			if len(seen) != 3 {
				t.Errorf("turn %d: %v", i/3, order[i:i+3])
			}
		}
		if len(order) != 30 {
			t.Errorf("%d jobs were done", len(order))
		}
	})
}

// TestOneOrganizationHasAllWorkersButOne where no other has a job.
func TestOneOrganizationHasAllWorkersButOne(t *testing.T) {
	t.Parallel()
	for workers, want := range map[int]int{1: 1, 2: 1, 4: 3} {
		synctest.Test(t, func(t *testing.T) {
			q := &queue{waiting: make([]shipments.Job, 10)}
			for i := range 5 {
				q.waiting[i].Org = shipments.OrgID{0xe0} // its test data
			}
			running, most := 0, 0
			q.process = func(context.Context, shipments.Job) error {
				q.mu.Lock()
				running++
				most = max(most, running)
				q.mu.Unlock()
				time.Sleep(time.Second)
				q.mu.Lock()
				running--
				q.mu.Unlock()
				return nil
			}
			q.run(t, workers, nil, time.Minute)
			if most != want {
				t.Errorf("%d of %d workers", most, workers)
			}
		})
	}
}
