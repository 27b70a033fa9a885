// Package worker processes the queue of documents to be read.
//
// Guarantees: organizations are scheduled round robin, and none has all workers of a
// Pool; so a document waits for at most one job of another organization. A worker
// holds a lease on its job and renews it; the job of a worker that was killed or
// disconnected is claimed again when the lease expires. On shutdown workers release
// their jobs. A worker that loses its lease stops and cannot publish. A job that failed
// by an outage is released and tried again until the outage ends; one that ended with
// its process or by a fault of the program is tried again when its lease expires, up to
// a maximum number of attempts.
package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is the interval at which one of the idle workers queries for jobs
	// without a notification.
	Poll = time.Second

	heartbeat      = shipments.LeaseTime / 3
	claimTimeout   = 2 * time.Second
	releaseTimeout = time.Second
	outageRetry    = 30 * time.Second // delay of a job that failed by an outage
)

// Service processes jobs.
type Service interface {
	Process(context.Context, shipments.Job, shipments.Document) error
}

// Done is called after each job with its outcome and duration.
type Done func(outcome Outcome, took time.Duration)

// Outcome is the outcome of a job.
type Outcome string

// The outcomes of a job.
const (
	Published Outcome = "published" // the reading, or its failure
	Lost      Outcome = "lost"      // superseded, or the lease was lost
	Returned  Outcome = "returned"  // for another attempt
)

// Pool is a pool of workers.
type Pool struct {
	jobs     shipments.Jobs
	service  Service
	notified <-chan struct{}
	log      *slog.Logger
	done     Done
	limit    int // jobs of one organization at a time

	mu      sync.Mutex
	last    shipments.Organization         // served last
	running map[shipments.Organization]int // jobs of each, live and test together
}

// New returns an idle Pool. notified receives a value when there may be jobs.
func New(jobs shipments.Jobs, service Service, notified <-chan struct{}, log *slog.Logger, done Done) *Pool {
	return &Pool{
		jobs: jobs, service: service, notified: notified, log: log, done: done, running: map[shipments.Organization]int{},
	}
}

// Run runs workers until ctx ends, and returns when all jobs are released.
func (p *Pool) Run(ctx context.Context, workers int) {
	p.limit = max(1, workers-1)
	poll := time.NewTicker(Poll)
	defer poll.Stop()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { p.work(ctx, poll.C) })
	}
	running.Wait()
}

// work processes jobs one after the other.
func (p *Pool) work(ctx context.Context, poll <-chan time.Time) {
	for ctx.Err() == nil {
		if j, ok := p.claim(ctx); ok && p.process(ctx, j) != Returned {
			continue
		}
		select {
		case <-ctx.Done():
		case <-p.notified:
		case <-poll:
		}
	}
}

// claim claims a job of the organization whose turn it is.
func (p *Pool) claim(ctx context.Context) (j shipments.Job, ok bool) {
	// A claim is not cancelled, so that a claimed job can be released. Its time includes the wait for those of others:
	// at a shutdown in an outage they do not add up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	var lease shipments.Lease
	_, _ = rand.Read(lease[:])
	turn := shipments.Turn{After: p.last}
	for org, running := range p.running {
		if running >= p.limit {
			turn.Except = append(turn.Except, org)
		}
	}
	j, err := p.jobs.Claim(ctx, lease, turn)
	if err != nil {
		if !errors.Is(err, shipments.ErrNoJob) && !errors.Is(err, shipments.ErrUnavailable) {
			p.log.Error("claiming a job failed", "error", err.Error())
		}
		return j, false
	}
	p.last = shipments.OrganizationOf(j.Org)
	p.running[p.last]++
	return j, true
}

// process processes a job while the lease is held.
func (p *Pool) process(ctx context.Context, j shipments.Job) Outcome {
	start := time.Now()
	held, cancel := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	beating.Go(func() { p.renew(held, j, cancel) })
	doc, err := p.jobs.Begin(held, j)
	if err == nil {
		err = p.service.Process(held, j, doc)
	}
	if lost := context.Cause(held); errors.Is(lost, shipments.ErrLost) {
		err = lost
	}
	cancel(nil)
	beating.Wait()
	outcome := p.finish(ctx, j, err)
	p.mu.Lock()
	org := shipments.OrganizationOf(j.Org)
	if p.running[org]--; p.running[org] == 0 {
		delete(p.running, org)
	}
	p.mu.Unlock()
	p.done(outcome, time.Since(start))
	return outcome
}

// renew renews the lease until ctx ends, and cancels ctx when the lease is lost.
// While Postgres is unavailable no other worker can claim the job.
func (p *Pool) renew(ctx context.Context, j shipments.Job, cancel context.CancelCauseFunc) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			extending, done := context.WithTimeout(ctx, heartbeat)
			err := p.jobs.Extend(extending, j)
			if done(); errors.Is(err, shipments.ErrLost) {
				cancel(err)
				return
			}
		}
	}
}

// finish returns the outcome of a job. It releases the job on an outage and on shutdown.
func (p *Pool) finish(ctx context.Context, j shipments.Job, err error) Outcome {
	switch {
	case err == nil:
		return Published
	case errors.Is(err, shipments.ErrLost):
		return Lost
	}
	var after time.Duration
	if ctx.Err() == nil {
		p.log.Warn("reading a document failed, retrying", "attempt", j.Attempt, "error", err.Error())
		if !errors.Is(err, shipments.ErrUnavailable) {
			return Returned // when its lease expires
		}
		after = outageRetry
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	// If this fails, the lease expires.
	_ = p.jobs.Release(ctx, j, after)
	return Returned
}
