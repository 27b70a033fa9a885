package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// comparison is a request to the gateway and the same request to the control, a
// gateway without faults, at the same time on the same machine.
type comparison struct{ gateway, control sample }

// comparers is how many comparisons run at the same time.
const comparers = 2

// compare sends requests to the gateway and the control in alternating order
// until finish is called. Other load on the machine affects both, so the
// difference is the effect of the fault.
func (r *topology) compare(ctx context.Context, o *observation) (finish func()) {
	lasting, stop := context.WithCancel(ctx)
	var pending sync.WaitGroup
	var mu sync.Mutex
	for range comparers {
		pending.Go(func() {
			a := call{path: r.tokens.shipment, token: r.tokens.reader}
			for n := 0; lasting.Err() == nil; n++ {
				var t comparison
				if n%2 == 0 {
					t.gateway, _ = r.client.do(ctx, a)
				}
				t.control, _ = r.control.do(ctx, a)
				if n%2 != 0 {
					t.gateway, _ = r.client.do(ctx, a)
				}
				mu.Lock()
				o.comparisons = append(o.comparisons, t)
				mu.Unlock()
			}
		})
	}
	return func() {
		stop()
		pending.Wait()
	}
}

// since reports whether both requests began after a moment.
func (t comparison) since(moment time.Time) bool {
	return t.gateway.start.After(moment) && t.control.start.After(moment)
}

// addsLess reports whether the gateway's p99 exceeds the control's by less than
// bound, counting comparisons in which both requests succeeded. A larger
// difference is tolerated if chance explains it at 1 %.
func addsLess(bound time.Duration, comparisons []comparison) (kept bool, seen string) {
	var gateway, control []time.Duration
	for _, t := range comparisons {
		if t.gateway.passed() && t.control.passed() {
			gateway, control = append(gateway, t.gateway.took), append(control, t.control.took)
		}
	}
	if len(gateway) == 0 || len(gateway) < len(comparisons)/2 {
		return false, fmt.Sprintf("only %d of %d succeeded", len(gateway), len(comparisons))
	}
	its, others := p99(gateway), p99(control)
	seen = fmt.Sprintf("%s added: %s, control %s, %d comparisons", ms(its-others), ms(its), ms(others), len(gateway))
	if its-others < bound {
		return true, seen
	}
	part, all := slowest(gateway, control, bound)
	return all >= minSamples && chance(part, all) > 0.01, fmt.Sprintf("%s; of the slowest %d, less %s, %d are the gateway's", seen, all, ms(bound), part)
}

// minSamples is how many slow samples a test of significance needs.
const minSamples = 7

// slowest counts the slowest hundredth of all durations, and how many of them
// are the gateway's after less is subtracted from each of its durations.
func slowest(gateway, control []time.Duration, less time.Duration) (part, all int) {
	inOrder := slices.Clone(control)
	for _, took := range gateway {
		inOrder = append(inOrder, took-less)
	}
	beyond := p99(inOrder)
	for _, took := range control {
		if took > beyond {
			all++
		}
	}
	for _, took := range gateway {
		if took-less > beyond {
			all++
			part++
		}
	}
	return part, all
}

// chance is the probability of at least part successes in all trials of
// probability one half.
func chance(part, all int) (p float64) {
	ways := math.Pow(0.5, float64(all)) // of n successes
	for n := range all + 1 {
		if n >= part {
			p += ways
		}
		ways *= float64(all-n) / float64(n+1)
	}
	return p
}

// p99 sorts the durations, of which there must be at least one, and returns
// their 99th percentile.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)*99-1)/100]
}
