package chaos

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// turn is a request to the gateway, and the same one to the control: a gateway
// of which nothing is broken, at the same moment and on the same machine.
type turn struct{ gateway, control sample }

// turners is how many ask by turns at the same time.
const turners = 2

// askByTurns asks the gateway and the control, one right after the other, until
// what it returns is called; who is first changes. What the machine does
// meanwhile it does to both: what is left is the fault's.
func (r *rig) askByTurns(ctx context.Context, o *observation) (enough func()) {
	lasting, stop := context.WithCancel(ctx)
	var asking sync.WaitGroup
	var mu sync.Mutex
	for range turners {
		asking.Go(func() {
			a := ask{path: r.cast.shipment, token: r.cast.reader}
			for n := 0; lasting.Err() == nil; n++ {
				var t turn
				if n%2 == 0 {
					t.gateway, _ = r.client.do(ctx, a)
				}
				t.control, _ = r.control.do(ctx, a)
				if n%2 != 0 {
					t.gateway, _ = r.client.do(ctx, a)
				}
				mu.Lock()
				o.turns = append(o.turns, t)
				mu.Unlock()
			}
		})
	}
	return func() {
		stop()
		asking.Wait()
	}
}

// since tells whether both requests began after a moment.
func (t turn) since(moment time.Time) bool {
	return t.gateway.start.After(moment) && t.control.start.After(moment)
}

// addsLess judges whether the gateway's p99 is above the control's by less than
// bound, of turns that let a request through at both, and says so in words.
// On a machine that does other work a p99 is uncertain by more than some
// bounds: a difference that chance makes as well breaks nothing.
func addsLess(bound time.Duration, turns []turn) (kept bool, seen string) {
	var gateway, control []time.Duration
	for _, t := range turns {
		if t.gateway.passed() && t.control.passed() {
			gateway, control = append(gateway, t.gateway.took), append(control, t.control.took)
		}
	}
	if len(gateway) == 0 || len(gateway) < len(turns)/2 {
		return false, fmt.Sprintf("only %d of %d passed", len(gateway), len(turns))
	}
	its, others := p99(gateway), p99(control)
	seen = fmt.Sprintf("%s added: %s, and %s beside it, %d times by turns", ms(its-others), ms(its), ms(others), len(gateway))
	if its-others < bound {
		return true, seen
	}
	part, all := slowest(gateway, control, bound)
	return all >= fewest && chance(part, all) > 0.01, fmt.Sprintf("%s; of the slowest %d, less %s, %d are its", seen, all, ms(bound), part)
}

// fewest is how many must be compared to call anything chance.
const fewest = 7

// slowest counts, of the slowest hundredth of all, those of the gateway when
// each of its durations is shorter by less.
func slowest(gateway, control []time.Duration, less time.Duration) (part, all int) {
	both := slices.Clone(control)
	for _, took := range gateway {
		both = append(both, took-less)
	}
	beyond := p99(both)
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

// chance is how probable it is that at least part of all are on one of two
// sides where each is as likely as the other.
func chance(part, all int) (p float64) {
	ways := math.Pow(0.5, float64(all)) // to have n of them
	for n := range all + 1 {
		if n >= part {
			p += ways
		}
		ways *= float64(all-n) / float64(n+1)
	}
	return p
}

// p99 sorts durations, at least one, and returns that which one of a hundred
// exceeds.
func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)*99-1)/100]
}
