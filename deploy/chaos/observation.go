package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/promises"
)

// observation is everything recorded about one fault.
type observation struct {
	fault fault

	began       time.Time    // of the fault
	injected    time.Time    // when the injection was complete
	removed     time.Time    // when the fault was removed
	samples     []sample     // of the whole load: before, during and after the fault
	seen        []request    // requests between programs since the fault began
	comparisons []comparison // with the control, during faults of Redis

	messages     map[message]int // log lines since the fault began, without access logs
	stored       map[string]int  // number of shipments of each requested reference afterwards
	countErr     error           // why stored is incomplete
	liveness     liveness
	crashed      []string         // programs that exited by themselves
	stuck        map[string]stuck // by service
	stuckErr     error            // why stuck is unknown
	drains       []time.Duration
	closed       []time.Duration // lifetime of each half-open connection
	tokenRevoked time.Time       // when the revocable token was revoked; zero if it was not
}

// addTo evaluates the promises about the fault and adds them to a report.
func (o *observation) addTo(report *promises.Report) {
	during := customers(o.during())
	report.Begin(o.fault.title(), ", %.1f s", o.removed.Sub(o.began).Seconds())
	report.Print("    %d requests of customers, %.1f %% failed: %s\n",
		len(during), 100*share(len(failures(during)), len(during)), outcomes(during, 6))
	for _, p := range o.fault.promises() {
		kept, seen := p.kept(o)
		report.Add(p.text, kept, seen)
	}
}

// during are the samples that began while the fault lasted.
func (o *observation) during() []sample {
	return filter(o.samples, func(s sample) bool { return !s.start.Before(o.began) && s.start.Before(o.removed) })
}

// since are the samples that the fault can have affected, until the end of the load.
func (o *observation) since() []sample {
	return filter(o.samples, func(s sample) bool { return !s.end().Before(o.began) })
}

// excused reports whether the gateway cannot have responded: it was stopped, or
// killed with the request in flight, or closed the listener on which the kernel had
// completed the connection.
func (o *observation) excused(s sample) bool {
	switch o.fault.gateway {
	case gatewayStops:
		return s.refused
	case gatewayKilled:
		return s.refused || s.start.Before(o.injected) && s.end().After(o.began)
	case gatewayReloads:
		return s.aborted
	default:
		return false
	}
}

// ofKind returns the samples of some kinds.
func ofKind(samples []sample, kinds ...string) []sample {
	return filter(samples, func(s sample) bool { return slices.Contains(kinds, s.kind) })
}

// customers returns the samples of customers' requests.
func customers(samples []sample) []sample {
	return filter(samples, func(s sample) bool { return kindOf(s.kind).client })
}

func failures(samples []sample) []sample { return filter(samples, sample.failed) }

// filter returns the elements for which yes is true.
func filter[T any](all []T, yes func(T) bool) (some []T) {
	for _, one := range all {
		if yes(one) {
			some = append(some, one)
		}
	}
	return some
}

// outcomes counts samples by outcome, the most frequent first, at most most of
// them.
func outcomes(samples []sample, most int) string {
	counts := map[string]int{}
	for _, s := range samples {
		counts[s.outcome()]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprintf("%s × %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}

// longest returns the slowest sample.
func longest(samples []sample) (worst sample) {
	for _, s := range samples {
		if s.took > worst.took {
			worst = s
		}
	}
	return worst
}

func ms(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
