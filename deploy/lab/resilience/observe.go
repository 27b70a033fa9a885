package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// How long the load runs before a fault, and after the last failure; and how long counting may fail afterwards.
const (
	calm      = 3 * time.Second
	calmAfter = 1200 * time.Millisecond
	giveUp    = longestRecovery + 2*time.Second

	lateRecovery = 15 * time.Second // is a broken promise, and shipments can still be counted
)

// observation is everything recorded about one fault.
type observation struct {
	fault fault

	began   time.Time // of the fault
	removed time.Time // when the fault was healed

	samples   []sample       // of the whole load, by their start
	stored    map[string]int // number of shipments of each requested reference afterwards
	probes    int            // of /livez during the fault
	unhealthy []string       // programs whose /livez was not 200
	crashed   []string       // programs that exited by themselves
}

// observe injects one fault under load, heals it, and returns what was recorded.
// An error means that the fault could not be injected or healed, and says
// nothing about the product.
func (b *testbed) observe(ctx context.Context, f fault) (_ *observation, err error) {
	o := &observation{fault: f}
	l := startLoad(ctx, b)
	defer l.stop()
	wait(ctx, calm)
	if err := b.injectAndHeal(ctx, o); err != nil {
		return nil, err
	}
	for ctx.Err() == nil { // until service has recovered, or the time is over
		healed := time.Since(o.removed)
		if healed > giveUp || healed > calmAfter && time.Since(l.lastFailure()) > calmAfter {
			break
		}
		wait(ctx, 50*time.Millisecond)
	}
	o.samples = l.stop()
	slices.SortFunc(o.samples, func(x, y sample) int { return x.start.Compare(y.start) })
	for _, p := range b.stack.Programs() {
		if p.Ended() {
			o.crashed = append(o.crashed, p.Name)
			err = errors.Join(err, p.Start(ctx))
		}
	}
	if err == nil {
		o.stored, err = b.countShipments(ctx, o.samples)
	}
	return o, errors.Join(err, ctx.Err())
}

// injectAndHeal is the fault itself. Healing counts to the fault: service need not
// be full while a program starts again.
func (b *testbed) injectAndHeal(ctx context.Context, o *observation) error {
	probing, stop := context.WithCancel(ctx)
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		b.probeLiveness(probing, o)
	}()
	o.began = time.Now()
	restore, err := o.fault.inject(ctx, b)
	if err == nil {
		wait(ctx, o.fault.lasts)
	}
	stop()
	<-probed
	if restore != nil {
		err = errors.Join(err, restore(ctx))
	}
	o.removed = time.Now()
	return errors.Join(err, ctx.Err())
}

// probeLiveness requests the services' /livez until ctx ends.
func (b *testbed) probeLiveness(ctx context.Context, o *observation) {
	for ; ctx.Err() == nil; wait(ctx, 250*time.Millisecond) {
		for _, p := range b.stack.Programs() {
			s, _ := newClient("http://"+p.Inner).do(ctx, call{path: "/livez"})
			if ctx.Err() != nil {
				return
			}
			o.probes++
			if s.status != http.StatusOK && !slices.Contains(o.unhealthy, p.Name) {
				o.unhealthy = append(o.unhealthy, p.Name)
			}
		}
	}
}

// countShipments counts, through the gateway, the shipments of every requested
// reference.
func (b *testbed) countShipments(ctx context.Context, samples []sample) (map[string]int, error) {
	counts := map[string]int{}
	for _, s := range ofKind(samples, kindCreate, kindRepeat) {
		reference := s.call.reference
		if _, known := counts[reference]; known {
			continue
		}
		total, err := b.count(ctx, reference)
		for end := time.Now().Add(lateRecovery); err != nil && time.Now().Before(end); {
			wait(ctx, 50*time.Millisecond)
			total, err = b.count(ctx, reference)
		}
		if err != nil {
			return nil, fmt.Errorf("counting %s: %w", reference, err)
		}
		counts[reference] = total
	}
	return counts, nil
}

// count returns how many shipments have a reference.
func (b *testbed) count(ctx context.Context, reference string) (int, error) {
	path := "/api/v1/shipments?per_page=1&reference=" + url.QueryEscape(reference)
	s, body := b.client.do(ctx, call{path: path, token: b.tokens.reader})
	if s.status != http.StatusOK || s.err != "" {
		return 0, errors.New(s.outcome())
	}
	var page struct{ Meta struct{ Total int } }
	err := json.Unmarshal(body, &page)
	return page.Meta.Total, err
}

// during are the samples that began while the fault lasted.
func (o *observation) during() []sample {
	return filter(o.samples, func(s sample) bool { return !s.start.Before(o.began) && s.start.Before(o.removed) })
}

// since are the samples that the fault can have affected, until the end of the load.
func (o *observation) since() []sample {
	return filter(o.samples, func(s sample) bool { return !s.end().Before(o.began) })
}

// ofKind returns the samples of some kinds.
func ofKind(samples []sample, kinds ...string) []sample {
	return filter(samples, func(s sample) bool { return slices.Contains(kinds, s.kind) })
}

// customers returns the samples of customers' requests.
func customers(samples []sample) []sample {
	return filter(samples, func(s sample) bool { return kindOf(s.kind).customer })
}

func failures(samples []sample) []sample { return filter(samples, sample.failed) }

func filter(all []sample, yes func(sample) bool) []sample {
	return slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return !yes(s) })
}

// outcomes counts samples by outcome, the most frequent first.
func outcomes(samples []sample, most int) string {
	counts := map[string]int{}
	for _, s := range samples {
		counts[s.outcome()]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(counts[y]-counts[x], strings.Compare(x, y))
	})
	var parts []string
	for _, name := range names[:min(most, len(names))] {
		parts = append(parts, fmt.Sprintf("%s × %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
