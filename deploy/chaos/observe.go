package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// How long the load runs before a fault, and after the last failure.
const (
	calm      = 2 * time.Second
	calmAfter = 1200 * time.Millisecond
	giveUp    = longestRecovery + 2*time.Second
)

// observe injects one fault under load, removes it, and returns what was
// recorded. An error means that the fault could not be injected or removed, and
// says nothing about the product.
func (r *topology) observe(ctx context.Context, f fault) (_ *observation, err error) {
	o := &observation{fault: f}
	if r.tokens.revocable, err = r.stack.CreateToken(ctx, r.stack.Demo.Organization, "shipments:read", "--limit", plenty); err != nil {
		return nil, err
	}
	if f.prepare != nil {
		undo, err := f.prepare(ctx, r)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, undo(ctx)) }()
	}
	l := startLoad(ctx, r)
	defer l.stop()
	wait(ctx, calm)
	before, err := r.readResources(ctx)
	if err != nil {
		return nil, err
	}
	marks, err := r.markLogs()
	if err != nil {
		return nil, err
	}
	if err := r.injectAndRemove(ctx, l, o, before); err != nil {
		return nil, err
	}
	for { // until service has recovered, or the time is over
		failed, last := l.lastFailure()
		if last.After(o.removed) && time.Since(o.removed) > calmAfter && time.Since(failed) > calmAfter || time.Since(o.removed) > giveUp {
			break
		}
		wait(ctx, 50*time.Millisecond)
	}
	o.samples = l.stop()
	slices.SortFunc(o.samples, func(a, b sample) int { return a.start.Compare(b.start) })
	o.seen = r.seenSince(o.began)
	if o.messages, err = r.messagesSince(marks); err != nil {
		return nil, err
	}
	if o.crashed, err = r.restartCrashed(ctx); err != nil {
		return nil, err
	}
	o.stored, o.countErr = r.countShipments(ctx, o.samples)
	return o, ctx.Err()
}

// restartCrashed restarts programs that exited by themselves, and returns their
// names.
func (r *topology) restartCrashed(ctx context.Context) (crashed []string, err error) {
	for _, program := range r.stack.Programs() {
		if program.Ended() {
			crashed = append(crashed, program.Name)
			err = errors.Join(err, program.Start(ctx))
		}
	}
	return crashed, err
}

// injectAndRemove is the fault itself.
func (r *topology) injectAndRemove(ctx context.Context, l *load, o *observation, before resources) error {
	probing, finish := context.WithCancel(ctx)
	probed := make(chan liveness)
	go func() { probed <- r.probeLiveness(probing) }()
	o.began = time.Now()
	stopComparing := func() {}
	if o.fault.part == partRedis {
		stopComparing = r.compare(ctx, o)
	}
	restore, err := o.fault.injection(ctx, r, o)
	o.injected = time.Now()
	if err == nil {
		wait(ctx, o.fault.lasts)
		if o.fault.part == partPostgres {
			l.paused.Store(true)
			o.stuck, o.stuckErr = r.awaitRelease(ctx, before)
			l.paused.Store(false)
		}
	}
	stopComparing()
	finish()
	o.liveness = <-probed
	o.removed = time.Now()
	if restore != nil {
		err = errors.Join(err, restore(ctx))
	}
	return errors.Join(err, ctx.Err())
}

// countShipments counts, through the gateway, the shipments of every requested
// reference.
func (r *topology) countShipments(ctx context.Context, samples []sample) (map[string]int, error) {
	counts := map[string]int{}
	for _, s := range ofKind(samples, kindCreate, kindRepeat) {
		reference := s.call.reference
		if _, known := counts[reference]; known {
			continue
		}
		path := "/api/v1/shipments?per_page=1&reference=" + url.QueryEscape(reference)
		err := eventually(ctx, "counting "+reference, func() (bool, error) {
			answer, body := r.client.do(ctx, call{path: path, token: r.tokens.counter})
			if answer.status != http.StatusOK || answer.err != "" {
				return false, nil // recovery may take longer than promised
			}
			var page struct{ Meta struct{ Total int } }
			err := json.Unmarshal(body, &page)
			counts[reference] = page.Meta.Total
			return true, err
		})
		if err != nil {
			return counts, err
		}
	}
	return counts, nil
}
