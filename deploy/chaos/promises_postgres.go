package chaos

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// ofPostgres: an honest 503, and nothing piles up.
var ofPostgres = []promise{
	{"503 within 2 s and Retry-After", func(o *observation) (bool, string) {
		bad := keep(o.since(), func(s sample) bool { return s.status == 0 || s.status >= http.StatusInternalServerError })
		wrong := keep(bad, func(s sample) bool {
			return s.status != http.StatusServiceUnavailable || !s.retryAfter || s.took > longestRequest
		})
		if len(wrong) > 0 {
			return false, fmt.Sprintf("%d of %d otherwise: %s", len(wrong), len(bad), outcomes(wrong, 3))
		}
		return true, fmt.Sprintf("all %d", len(bad))
	}},
	{"/livez stays 200", func(o *observation) (bool, string) {
		return len(o.pulse.dead) == 0, fmt.Sprintf("%d beats%s", o.pulse.beats, list(o.pulse.dead))
	}},
	stuckAtMostThePool,
	retriedOnce,
}

// stuckAtMostThePool bounds what piles up by the connections that a service may
// have to Postgres, of all its pools: shipments-svc has one for requests and one
// for events.
var stuckAtMostThePool = promise{"stuck goroutines at most the pool's connections", func(o *observation) (bool, string) {
	if o.mute != nil {
		return false, o.mute.Error()
	}
	var nearest string // the service that has the fewest to spare
	for name, s := range o.stuck {
		worst := o.stuck[nearest]
		if nearest == "" || s.pool-s.goroutines < worst.pool-worst.goroutines {
			nearest = name
		}
	}
	s := o.stuck[nearest]
	return nearest != "" && s.goroutines <= s.pool, fmt.Sprintf("%d in %s, of %d connections", max(s.goroutines, 0), nearest, s.pool)
}}

var retriedOnce = promise{"each retried Idempotency-Key gives one row", func(o *observation) (bool, string) {
	retried := map[string]bool{}
	for _, s := range of(o.samples, kindRepeat) {
		retried[s.ask.reference] = true
	}
	double := keep(slices.Collect(maps.Keys(retried)), func(reference string) bool { return o.shipped[reference] > 1 })
	return len(double) == 0, fmt.Sprintf("%d of %d retried have more", len(double), len(retried))
}}
