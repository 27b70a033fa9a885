// Package worker has documents read that wait for it.
//
// Guarantees: organizations are served in turn, those first of which nothing is
// being read here, and one organization never has all workers of a Pool of
// several; so however many documents one has, another's waits for a worker to
// finish at most. A job belongs to one worker, which says again and again that it
// lives; the job of one that says nothing, killed or cut off, is taken by
// another when its lease ends; one that is told to stop gives its job back at
// once. What a worker does with a job that it lost is stopped, and cannot be
// published. A job is tried again later and later, and given up in the end.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Poll is how often a worker without a job looks for one that it was not
	// woken for.
	Poll = time.Second

	heartbeat = shipments.LeaseTime / 3
	toClaim   = 2 * time.Second
	toRelease = time.Second      // for a worker that was told to stop
	firstWait = time.Second      // before a job is tried a second time
	longest   = 30 * time.Minute // before it is tried again
)

// Service is what workers need of the domain.
type Service interface {
	Process(context.Context, shipments.Job) error
}

// Done is told of each job that a worker let go of: what became of it and how
// long the worker had it.
type Done func(outcome Outcome, took time.Duration)

// Outcome is what became of a job.
type Outcome string

// The outcomes of a job.
const (
	Published Outcome = "published" // what was read, or why it cannot be
	Lost      Outcome = "lost"      // nobody wants that any more
	Returned  Outcome = "returned"  // it is tried again
)

// Pool is a number of workers.
type Pool struct {
	jobs    shipments.Jobs
	service Service
	wake    <-chan struct{}
	log     *slog.Logger
	done    Done
	turns   turns
}

// New returns a Pool that does nothing until Run. wake gets a value when there
// may be a job, one for several where nobody was listening.
func New(jobs shipments.Jobs, service Service, wake <-chan struct{}, log *slog.Logger, done Done) *Pool {
	return &Pool{jobs: jobs, service: service, wake: wake, log: log, done: done}
}

// Run has so many workers work until ctx ends, and returns when all have given
// back what they had.
func (p *Pool) Run(ctx context.Context, workers int) {
	p.turns.limit = max(1, workers-1)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { p.work(ctx) })
	}
	running.Wait()
}

// work takes one job after the other.
func (p *Pool) work(ctx context.Context) {
	poll := time.NewTicker(Poll)
	defer poll.Stop()
	for ctx.Err() == nil {
		if p.one(ctx) {
			continue
		}
		select {
		case <-ctx.Done():
		case <-p.wake:
		case <-poll.C:
		}
	}
}

// one does a job, and reports whether it is worth to look for the next at once.
func (p *Pool) one(ctx context.Context) bool {
	// Once the job is claimed it must be known here, so that it can be given
	// back.
	claiming, cancel := context.WithTimeout(context.WithoutCancel(ctx), toClaim)
	defer cancel()
	j, err := p.turns.claim(claiming, p.jobs)
	if err != nil {
		if !errors.Is(err, shipments.ErrNoJob) && !errors.Is(err, shipments.ErrUnavailable) {
			p.log.Error("no job could be claimed", "error", err.Error())
		}
		return false
	}
	defer p.turns.end(j.Org)
	start := time.Now()
	outcome := p.settle(ctx, j, p.do(ctx, j))
	p.done(outcome, time.Since(start))
	return outcome != Returned
}

// do does a job for as long as it is this worker's.
func (p *Pool) do(ctx context.Context, j shipments.Job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	defer beating.Wait()
	defer cancel(nil)
	beating.Go(func() { p.hold(ctx, j, cancel) })
	if err := p.jobs.Begin(ctx, j, time.Now()); err != nil {
		return err
	}
	err := p.service.Process(ctx, j)
	if lost := context.Cause(ctx); errors.Is(lost, shipments.ErrLost) {
		return lost
	}
	return err
}

// hold keeps a job until ctx ends. When it is lost that ends ctx. While
// Postgres is away nobody else can take it either.
func (p *Pool) hold(ctx context.Context, j shipments.Job, cancel context.CancelCauseFunc) {
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

// settle lets go of a job.
func (p *Pool) settle(ctx context.Context, j shipments.Job, err error) Outcome {
	switch {
	case err == nil:
		return Published
	case errors.Is(err, shipments.ErrLost):
		return Lost
	}
	var after time.Duration
	if ctx.Err() == nil {
		after = wait(j.Attempt)
		p.log.Warn("a document is read again later", "attempt", j.Attempt, "after", after.String(), "error", err.Error())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), toRelease)
	defer cancel()
	// If this fails, the lease ends by itself.
	_ = p.jobs.Release(ctx, j, after)
	return Returned
}

// wait is how long a job waits after an attempt.
func wait(attempt int) time.Duration {
	after := firstWait
	for range attempt - 1 {
		after = min(4*after, longest)
	}
	return after
}
