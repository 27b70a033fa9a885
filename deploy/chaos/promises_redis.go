package main

import (
	"fmt"
	"time"
)

// ofRedis: local fallback.
var ofRedis = []promise{
	{"200s go on with the local window", func(o *observation) (bool, string) { return none(customers(o.during())) }},
	{"the window's headers are present", func(o *observation) (bool, string) {
		all := filter(o.during(), func(s sample) bool { return s.status != 0 })
		without := filter(all, func(s sample) bool { return !s.windowed })
		return len(without) == 0, fmt.Sprintf("missing from %d of %d", len(without), len(all))
	}},
	{"added p99 at most 60 ms", func(o *observation) (bool, string) {
		return addsLess(60*time.Millisecond, o.comparisons)
	}},
}

// breakerOpen is the time after which the circuit breaker is open.
const breakerOpen = time.Second

// ofRedisGone are further promises for faults that open the circuit breaker.
var ofRedisGone = []promise{
	{"added p99 under 1 ms once the breaker is open", func(o *observation) (bool, string) {
		return addsLess(time.Millisecond, filter(o.comparisons, func(t comparison) bool { return t.since(o.began.Add(breakerOpen)) }))
	}},
}

var repairsKey = promise{"a wrong-typed key is repaired", func(o *observation) (bool, string) {
	return none(filter(customers(o.during()), func(s sample) bool { return s.start.Sub(o.began) > breakerOpen }))
}}
