package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// How long the load runs before a fault, for comparison, and after it; the
// latter ends early when nothing has failed for a while.
const (
	calm      = 2 * time.Second
	calmAgain = 1200 * time.Millisecond
	giveUp    = longestRecovery + 2*time.Second
)

// observe breaks one thing under load, makes it good again, and returns all
// that was seen. An error means that the fault could not be made or ended,
// and says nothing about the product.
func (r *rig) observe(ctx context.Context, f fault) (_ *observation, err error) {
	o := &observation{fault: f}
	if r.cast.doomed, err = r.stack.CreateToken(ctx, r.stack.Demo.Organization, "shipments:read", "--limit", plenty); err != nil {
		return nil, err
	}
	if f.prepare != nil {
		undo, err := f.prepare(ctx, r)
		if err != nil {
			return nil, err
		}
		defer func() {
			if undoErr := undo(ctx); err == nil {
				err = undoErr
			}
		}()
	}
	l := startLoad(ctx, r)
	defer l.stop()
	wait(ctx, calm)
	before, err := r.readGauges(ctx)
	if err != nil {
		return nil, err
	}
	marks, err := r.markLogs()
	if err != nil {
		return nil, err
	}
	if err := r.breakAndHeal(ctx, l, o, before); err != nil {
		return nil, err
	}
	for { // until service is back, or plainly is not
		failed, last := l.lastFailure()
		if last.After(o.healing) && time.Since(o.healing) > calmAgain && time.Since(failed) > calmAgain || time.Since(o.healing) > giveUp {
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
	if o.ended, err = r.revive(ctx); err != nil {
		return nil, err
	}
	o.shipped, o.uncounted = r.countShipments(ctx, o.samples)
	return o, ctx.Err()
}

// revive starts again what has ended by itself, for the faults to come, and
// names it.
func (r *rig) revive(ctx context.Context) (ended []string, err error) {
	for _, program := range r.stack.Programs() {
		if program.Ended() {
			ended = append(ended, program.Name())
			err = errors.Join(err, program.Start(ctx))
		}
	}
	return ended, err
}

// breakAndHeal is the fault itself.
func (r *rig) breakAndHeal(ctx context.Context, l *load, o *observation, before gauges) error {
	feeling, enough := context.WithCancel(ctx)
	felt := make(chan pulse)
	go func() { felt <- r.feel(feeling) }()
	o.began = time.Now()
	turned := func() {}
	if o.fault.part == partRedis {
		turned = r.askByTurns(ctx, o)
	}
	restore, err := o.fault.strike(ctx, r, o)
	o.struck = time.Now()
	if err == nil {
		wait(ctx, o.fault.lasts)
		if o.fault.part == partPostgres {
			l.paused.Store(true)
			o.stuck, o.mute = r.letGo(ctx, before)
			l.paused.Store(false)
		}
	}
	turned()
	enough()
	o.pulse = <-felt
	o.healing = time.Now()
	if restore != nil {
		err = firstOf(err, restore(ctx))
	}
	return firstOf(err, ctx.Err())
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// countShipments asks through the gateway how many shipments there are of
// every reference that was asked for.
func (r *rig) countShipments(ctx context.Context, samples []sample) (map[string]int, error) {
	counts := map[string]int{}
	for _, s := range of(samples, kindCreate, kindRepeat) {
		reference := s.ask.reference
		if _, known := counts[reference]; known {
			continue
		}
		path := "/api/v1/shipments?per_page=1&reference=" + url.QueryEscape(reference)
		err := eventually(ctx, "counting "+reference, func() (bool, error) {
			answer, body := r.client.do(ctx, ask{path: path, token: r.cast.counter})
			if answer.status != http.StatusOK || answer.err != "" {
				return false, nil // service may take longer to come back than is promised
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
