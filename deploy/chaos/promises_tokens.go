package chaos

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ofTokens: who is known goes on, who is not is told to come back.
var ofTokens = []promise{
	{"known tokens are served", func(o *observation) (bool, string) {
		return none(keep(of(o.during(), kindList, kindOne, kindCreate), func(s sample) bool {
			return s.start.Sub(o.struck) < longestBlind-blindMargin
		}))
	}},
	{"unknown ones get 503 with Retry-After, or their true answer", func(o *observation) (bool, string) {
		asked := of(o.during(), kindFresh, kindUnknown)
		wrong := keep(failures(asked), func(s sample) bool {
			return s.status != http.StatusServiceUnavailable || !s.retryAfter
		})
		if len(wrong) > 0 {
			return false, fmt.Sprintf("%d of %d: %s", len(wrong), len(asked), outcomes(wrong, 3))
		}
		return true, outcomes(asked, 3)
	}},
}

// together is how close two look-ups of a token are to be in flight at once,
// where each takes longer than that.
const together = 100 * time.Millisecond

var looksUpOnce = promise{"at most one look-up per token in flight", func(o *observation) (bool, string) {
	last, lookUps, double := map[string]time.Time{}, 0, 0
	for _, r := range o.seen {
		// At the end of a fault connections break, and what was asked on them is asked again.
		if !strings.HasPrefix(r.path, "/internal/v1/introspect") || r.at.After(o.healing) {
			continue
		}
		lookUps++
		if at, ok := last[r.form]; ok && r.at.Sub(at) < together {
			double++
		}
		last[r.form] = r.at
	}
	return double == 0, fmt.Sprintf("%d look-ups, %d beside another of the same token", lookUps, double)
}}

// blindMargin is how exactly the end of that bound is seen: the last heartbeat
// came up to a second before the fault.
const blindMargin = 2 * time.Second

var servesToTheBound = promise{"known tokens are served for 60 s, and then no more", func(o *observation) (bool, string) {
	known := of(o.during(), kindList, kindOne, kindCreate)
	early := failures(keep(known, func(s sample) bool { return s.start.Sub(o.struck) < longestBlind-blindMargin }))
	late := keep(known, func(s sample) bool { return s.start.Sub(o.struck) > longestBlind+blindMargin && s.passed() })
	if len(early) > 0 {
		return false, fmt.Sprintf("the first failed after %.1f s: %s", early[0].start.Sub(o.struck).Seconds(), outcomes(early, 2))
	}
	return len(late) == 0, fmt.Sprintf("%d served later", len(late))
}}

// revokedWithin is the published bound of a revocation.
func revokedWithin(bound time.Duration) promise {
	return promise{fmt.Sprintf("a revoked token is refused within %s", bound), func(o *observation) (bool, string) {
		var last time.Duration
		for _, s := range of(o.samples, kindDoomed) {
			if s.passed() {
				last = max(last, s.start.Sub(o.dooming))
			}
		}
		return last <= bound, fmt.Sprintf("last let through after %.1f s", last.Seconds())
	}}
}
