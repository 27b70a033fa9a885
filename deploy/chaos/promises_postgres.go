package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// ofPostgres: 503 with Retry-After, and no accumulation of goroutines.
var ofPostgres = []promise{
	{"503 within 2 s and Retry-After", func(o *observation) (bool, string) {
		active := filter(o.since(), func(s sample) bool { return s.status == 0 || s.status >= http.StatusInternalServerError })
		wrong := filter(active, func(s sample) bool {
			return s.status != http.StatusServiceUnavailable || !s.retryAfter || s.took > longestRequest
		})
		if len(wrong) > 0 {
			return false, fmt.Sprintf("%d of %d otherwise: %s", len(wrong), len(active), outcomes(wrong, 3))
		}
		return true, fmt.Sprintf("all %d", len(active))
	}},
	{"/livez stays 200", func(o *observation) (bool, string) {
		return len(o.liveness.unhealthy) == 0, fmt.Sprintf("%d probes%s", o.liveness.probes, list(o.liveness.unhealthy))
	}},
	stuckAtMostThePool,
	retriedOnce,
}

// stuckAtMostThePool bounds stuck goroutines by the connections of all pools of a
// service; shipments-svc has one for requests and one for events.
var stuckAtMostThePool = promise{"stuck goroutines at most the pool's connections", func(o *observation) (bool, string) {
	if o.stuckErr != nil {
		return false, o.stuckErr.Error()
	}
	var nearest string // the service closest to its bound
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
	for _, s := range ofKind(o.samples, kindRepeat) {
		retried[s.call.reference] = true
	}
	double := filter(slices.Collect(maps.Keys(retried)), func(reference string) bool { return o.stored[reference] > 1 })
	return len(double) == 0, fmt.Sprintf("%d of %d retried have more", len(double), len(retried))
}}
