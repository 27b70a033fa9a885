package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// promise is a guarantee during faults. The text is the specification's; kept
// evaluates an observation and describes what was observed.
type promise struct {
	text string
	kept func(*observation) (bool, string)
}

// The bounds.
const (
	longestRequest  = 2 * time.Second
	longestRecovery = 5 * time.Second
	withoutRedis    = 50 * time.Millisecond // below what each request would wait for Redis
)

// everywhere holds during every fault.
var everywhere = []promise{
	{"no request takes over 2 s", func(o *observation) (bool, string) {
		all := o.since()
		worst := slices.MaxFunc(append(all, sample{}), func(x, y sample) int { return int(x.took - y.took) })
		return worst.took <= longestRequest,
			fmt.Sprintf("the longest of %d took %s (%s, %s)", len(all), ms(worst.took), worst.kind, worst.outcome())
	}},
	{"every failure is problem+json with a request id", func(o *observation) (bool, string) {
		failed := filter(o.since(), func(s sample) bool { return s.err != "" || s.status >= http.StatusBadRequest })
		bare := filter(failed, func(s sample) bool { return s.err != "" || !s.explained })
		return len(bare) == 0, fmt.Sprintf("%d without of %d%s", len(bare), len(failed), list(bare))
	}},
	{"nothing fails open", func(o *observation) (bool, string) {
		barred := filter(o.since(), func(s sample) bool {
			return !slices.ContainsFunc(kindOf(s.kind).right, func(status int) bool { return status < 300 })
		})
		open := filter(barred, sample.passed)
		return len(open) == 0, fmt.Sprintf("%d of %d without permission passed%s", len(open), len(barred), list(open))
	}},
	{"never a 401 for a good token", func(o *observation) (bool, string) {
		good := append(customers(o.since()), ofKind(o.since(), kindLimited)...)
		refused := filter(good, func(s sample) bool { return s.status == http.StatusUnauthorized })
		return len(refused) == 0, fmt.Sprintf("%d of %d", len(refused), len(good))
	}},
	{"a window passes its limit, at most twice as much without Redis", func(o *observation) (bool, string) {
		limit := limitedQuota
		if o.fault.redis {
			limit *= 2
		}
		most, windows, limited := 0, map[int64]int{}, ofKind(o.samples, kindLimited)
		for _, s := range limited {
			if s.passed() {
				windows[s.reset]++
				most = max(most, windows[s.reset])
			}
		}
		return most <= limit && len(limited) > 0, fmt.Sprintf("%d passed where %d may", most, limit)
	}},
	{"no acknowledged write is lost, none is stored twice", func(o *observation) (bool, string) {
		acknowledged, lost, double := 0, 0, 0
		for _, s := range ofKind(o.samples, kindCreate, kindRepeat) {
			if s.passed() {
				acknowledged++
				if o.stored[s.call.reference] == 0 {
					lost++
				}
			}
			if o.stored[s.call.reference] > 1 {
				double++
			}
		}
		return lost+double == 0 && acknowledged > 0,
			fmt.Sprintf("%d lost and %d double of %d", lost, double, acknowledged)
	}},
	{"full service within 5 s of the end, without a restart", func(o *observation) (bool, string) {
		if len(o.crashed) > 0 {
			return false, strings.Join(o.crashed, ", ") + " exited by itself"
		}
		after := filter(customers(o.samples), func(s sample) bool { return s.start.After(o.removed) })
		failed := failures(after)
		if len(failed) == 0 {
			return len(after) > 0, fmt.Sprintf("none of %d failed", len(after))
		}
		last := failed[len(failed)-1].start.Sub(o.removed)
		return last <= longestRecovery, fmt.Sprintf("last failure after %s%s", ms(last), list(failed))
	}},
}

// none evaluates that no sample failed.
func none(samples []sample) (bool, string) {
	failed := failures(samples)
	return len(failed) == 0 && len(samples) > 0,
		fmt.Sprintf("%d of %d failed%s", len(failed), len(samples), list(failed))
}

var servesOn = promise{"serving goes on", func(o *observation) (bool, string) { return none(customers(o.during())) }}

// ofRedis: windows are counted by the gateway itself.
var ofRedis = []promise{
	servesOn,
	{"the window's headers are present", func(o *observation) (bool, string) {
		all := filter(o.during(), func(s sample) bool { return s.status != 0 })
		without := filter(all, func(s sample) bool { return !s.windowed })
		return len(without) == 0, fmt.Sprintf("missing from %d of %d", len(without), len(all))
	}},
	{"requests do not wait for Redis", func(o *observation) (bool, string) {
		var took []time.Duration
		for _, s := range ofKind(o.during(), kindOne) {
			took = append(took, s.took)
		}
		slices.Sort(took)
		median := append(took, 0)[len(took)/2]
		return len(took) > 0 && median < withoutRedis, "median " + ms(median)
	}},
}

// ofTokens: tokens that the gateway knows work, others get 503 with Retry-After.
var ofTokens = []promise{
	{"known tokens are served", func(o *observation) (bool, string) {
		return none(ofKind(o.during(), kindList, kindOne, kindCreate))
	}},
	{"unknown tokens get 503 with Retry-After", func(o *observation) (bool, string) {
		all := ofKind(o.during(), kindFresh, kindUnknown)
		wrong := filter(failures(all), func(s sample) bool { return !s.unavailable() })
		return len(wrong) == 0, fmt.Sprintf("%d of %d otherwise%s", len(wrong), len(all), list(wrong))
	}},
}

// ofPostgres: no request waits, and no orchestrator restarts the programs.
var ofPostgres = []promise{
	{"every failure of the product is 503 with Retry-After", func(o *observation) (bool, string) {
		failed := filter(o.since(), func(s sample) bool { return s.status == 0 || s.status >= 500 })
		wrong := filter(failed, func(s sample) bool { return !s.unavailable() })
		return len(wrong) == 0, fmt.Sprintf("%d of %d otherwise%s", len(wrong), len(failed), list(wrong))
	}},
	{"/livez stays 200", func(o *observation) (bool, string) {
		return len(o.unhealthy) == 0 && o.probes > 0,
			fmt.Sprintf("%d probes %s", o.probes, strings.Join(o.unhealthy, ", "))
	}},
}

// list describes samples, if there are any.
func list(some []sample) string {
	if len(some) == 0 {
		return ""
	}
	return ": " + outcomes(some, 3)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
