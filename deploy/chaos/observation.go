package chaos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// observation is all that was seen of one fault.
type observation struct {
	fault fault

	began   time.Time // of the fault
	struck  time.Time // when all of it was there
	healing time.Time // its end
	samples []sample  // of the whole load: before, during and after
	seen    []request // what passed between the programs since the fault began
	turns   []turn    // beside the control, while Redis is broken

	messages  map[message]int // log lines that tell of no single request, since the fault began
	shipped   map[string]int  // how many shipments there are afterwards of each reference asked for
	uncounted error           // why that is not known of all
	pulse     pulse
	ended     []string         // programs that ended by themselves
	stuck     map[string]stuck // by service
	mute      error            // why there is no telling how many
	drains    []time.Duration
	closed    []time.Duration // how long each half-open connection lived
	dooming   time.Time       // when the doomed token was revoked; zero: it was not
}

// during are the samples that began while the fault lasted.
func (o *observation) during() []sample {
	return keep(o.samples, func(s sample) bool { return !s.start.Before(o.began) && s.start.Before(o.healing) })
}

// since are the samples that the fault can have met, until the end of the load.
func (o *observation) since() []sample {
	return keep(o.samples, func(s sample) bool { return !s.end().Before(o.began) })
}

// excused tells whether the gateway cannot have answered: it was not there, or
// was killed with the request in it.
func (o *observation) excused(s sample) bool {
	switch o.fault.gateway {
	case gatewayStops:
		return s.nobody
	case gatewayKilled:
		return s.nobody || s.start.Before(o.struck) && s.end().After(o.began)
	default:
		return false
	}
}

// of are the samples of some kinds.
func of(samples []sample, kinds ...string) []sample {
	return keep(samples, func(s sample) bool { return slices.Contains(kinds, s.kind) })
}

// customers are the samples of requests with a good token.
func customers(samples []sample) []sample {
	return keep(samples, func(s sample) bool { return kindOf(s.kind).client })
}

func failures(samples []sample) []sample { return keep(samples, sample.failed) }

// keep returns those for which yes.
func keep[T any](all []T, yes func(T) bool) (some []T) {
	for _, one := range all {
		if yes(one) {
			some = append(some, one)
		}
	}
	return some
}

// outcomes counts samples by what came of them, the most frequent first, with
// at most so many different ones.
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

// longest is the sample that took the longest.
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
