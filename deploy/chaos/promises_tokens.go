package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ofTokens: cached tokens work, others get 503 with Retry-After.
var ofTokens = []promise{
	{"known tokens are served", func(o *observation) (bool, string) {
		return none(filter(ofKind(o.during(), kindList, kindOne, kindCreate), func(s sample) bool {
			return s.start.Sub(o.injected) < longestStale-staleMargin
		}))
	}},
	{"unknown ones get 503 with Retry-After, or their regular response", func(o *observation) (bool, string) {
		all := ofKind(o.during(), kindFresh, kindUnknown)
		wrong := filter(failures(all), func(s sample) bool {
			return s.status != http.StatusServiceUnavailable || !s.retryAfter
		})
		if len(wrong) > 0 {
			return false, fmt.Sprintf("%d of %d: %s", len(wrong), len(all), outcomes(wrong, 3))
		}
		return true, outcomes(all, 3)
	}},
}

// together is the interval below which two introspections of a token overlap,
// because each takes longer.
const together = 100 * time.Millisecond

var looksUpOnce = promise{"at most one introspection per token in flight", func(o *observation) (bool, string) {
	last, lookUps, double := map[string]time.Time{}, 0, 0
	for _, r := range o.seen {
		// At the end of a fault connections break, and their requests are retried.
		if !strings.HasPrefix(r.path, "/internal/v1/introspect") || r.at.After(o.removed) {
			continue
		}
		lookUps++
		if at, ok := last[r.form]; ok && r.at.Sub(at) < together {
			double++
		}
		last[r.form] = r.at
	}
	return double == 0, fmt.Sprintf("%d introspections, %d concurrent with one of the same token", lookUps, double)
}}

// staleMargin is the precision of the bound: the last heartbeat came up to a
// second before the fault.
const staleMargin = 2 * time.Second

var servesToTheBound = promise{"known tokens are served for 60 s, then no longer", func(o *observation) (bool, string) {
	known := ofKind(o.during(), kindList, kindOne, kindCreate)
	early := failures(filter(known, func(s sample) bool { return s.start.Sub(o.injected) < longestStale-staleMargin }))
	late := filter(known, func(s sample) bool { return s.start.Sub(o.injected) > longestStale+staleMargin && s.passed() })
	if len(early) > 0 {
		return false, fmt.Sprintf("the first failed after %.1f s: %s", early[0].start.Sub(o.injected).Seconds(), outcomes(early, 2))
	}
	return len(late) == 0, fmt.Sprintf("%d served later", len(late))
}}

// revokedWithin is the published bound of a revocation.
func revokedWithin(bound time.Duration) promise {
	return promise{fmt.Sprintf("a revoked token is refused within %s", bound), func(o *observation) (bool, string) {
		var last time.Duration
		for _, s := range ofKind(o.samples, kindRevocable) {
			if s.passed() {
				last = max(last, s.start.Sub(o.tokenRevoked))
			}
		}
		return last <= bound, fmt.Sprintf("last let through after %.1f s", last.Seconds())
	}}
}
