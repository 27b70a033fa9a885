package chaos

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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
	{"stuck goroutines at most the pool's 20", func(o *observation) (bool, string) {
		if o.mute != nil {
			return false, o.mute.Error()
		}
		most := 0
		for name, stuck := range o.stuck {
			if strings.HasSuffix(name, "-svc") || strings.Contains(name, "-svc-") {
				most = max(most, stuck)
			}
		}
		return most <= pool, fmt.Sprintf("%d in a service", most)
	}},
	retriedOnce,
}

// pool is how many connections to Postgres a service may have.
const pool = 20

var retriedOnce = promise{"each retried Idempotency-Key gives one row", func(o *observation) (bool, string) {
	retried := map[string]bool{}
	for _, s := range of(o.samples, kindRepeat) {
		retried[s.ask.reference] = true
	}
	double := keep(slices.Collect(maps.Keys(retried)), func(reference string) bool { return o.shipped[reference] > 1 })
	return len(double) == 0, fmt.Sprintf("%d of %d retried have more", len(double), len(retried))
}}
