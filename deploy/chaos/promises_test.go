package main

import (
	"slices"
	"testing"
	"time"
)

// at is a moment of an observation whose fault lasts from second 2 to second 6.
func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// got is a sample of a kind with a start, a status and a duration.
func got(kind string, seconds float64, status int, took time.Duration) sample {
	return sample{kind: kind, start: at(seconds), status: status, took: took, explained: true, retryAfter: true, windowed: true}
}

func with(s sample, change func(*sample)) sample {
	change(&s)
	return s
}

func TestPromises(t *testing.T) {
	t.Parallel()
	quick := 3 * time.Millisecond
	lost := func(s *sample) { s.status, s.err = 0, "EOF" }
	refused := func(s *sample) { s.status, s.err, s.refused = 0, "connection refused", true }
	reset := func(s *sample) { s.status, s.err, s.aborted = 0, "connection reset by peer", true }
	reference := func(s *sample) { s.call.reference = "A" }
	for _, tt := range []struct {
		name    string
		promise promise
		kept    bool
		seen    observation
	}{
		{"a request of 2 s", inTime, true, observation{samples: []sample{got(kindList, 3, 200, 2*time.Second)}}},
		{"one above", inTime, false, observation{samples: []sample{got(kindList, 3, 200, 2*time.Second+1)}}},
		{"one above that began before the fault", inTime, false, observation{samples: []sample{got(kindList, 1, 200, 3*time.Second)}}},

		{"a problem", explained, true, observation{samples: []sample{got(kindList, 3, 503, quick)}}},
		{"a bare 502", explained, false, observation{samples: []sample{with(got(kindList, 3, 502, quick), func(s *sample) { s.explained = false })}}},
		{"no answer", explained, false, observation{samples: []sample{with(got(kindList, 3, 0, quick), lost)}}},
		{"no gateway", explained, false, observation{samples: []sample{with(got(kindList, 3, 0, quick), refused)}}},
		{"no gateway while it restarts", explained, true, observation{
			fault: fault{gateway: gatewayStops}, samples: []sample{with(got(kindList, 3, 0, quick), refused)},
		}},

		{"no response during restarts, which another promise reports", explained, true, observation{
			fault: fault{part: partRestarts}, samples: []sample{with(got(kindList, 3, 0, quick), lost)},
		}},
		{"no response during restarts", ofRestarts[0], false, observation{
			fault: fault{part: partRestarts}, samples: []sample{with(got(kindList, 3, 0, quick), lost)},
		}},

		{"a reset during reloads", ofRestarts[0], true, observation{
			fault: fault{gateway: gatewayReloads}, samples: []sample{got(kindList, 3, 200, quick), with(got(kindList, 3, 0, quick), reset)},
		}},
		{"a response that never came during reloads", ofRestarts[0], false, observation{
			fault: fault{gateway: gatewayReloads}, samples: []sample{with(got(kindList, 3, 0, quick), lost)},
		}},
		{"one reset of many", resetsFew, true, observation{
			samples: append(slices.Repeat([]sample{got(kindList, 3, 200, quick)}, 499), with(got(kindList, 3, 0, quick), reset)),
		}},
		{"one reset of few", resetsFew, false, observation{
			samples: append(slices.Repeat([]sample{got(kindList, 3, 200, quick)}, 498), with(got(kindList, 3, 0, quick), reset)),
		}},

		{"an unknown token refused", failsClosed, true, observation{samples: []sample{got(kindUnknown, 3, 401, quick), got(kindUnknown, 3, 503, quick)}}},
		{"an unknown token accepted", failsClosed, false, observation{samples: []sample{got(kindUnknown, 3, 200, quick)}}},
		{"a write without the permission", failsClosed, false, observation{samples: []sample{got("no permission", 3, 201, quick)}}},

		{"503 for a valid token", neverA401, true, observation{samples: []sample{got(kindFresh, 3, 503, quick)}}},
		{"401 for a valid token", neverA401, false, observation{samples: []sample{got(kindFresh, 3, 401, quick)}}},
		{"401 for one that is limited", neverA401, false, observation{samples: []sample{got(kindLimited, 3, 401, quick)}}},

		{"a window's quota", exact, true, observation{samples: windowOf(5)}},
		{"one more", exact, false, observation{samples: windowOf(6)}},
		{"twice the quota without Redis", exact, true, observation{fault: fault{part: partRedis}, samples: windowOf(10)}},
		{"more than that", exact, false, observation{fault: fault{part: partRedis}, samples: windowOf(11)}},

		{"a create that is there", keepsWrites, true, observation{
			samples: []sample{with(got(kindCreate, 3, 201, quick), reference)}, stored: map[string]int{"A": 1},
		}},
		{"a create that is not", keepsWrites, false, observation{samples: []sample{with(got(kindCreate, 3, 201, quick), reference)}}},
		{"one that was never acknowledged", keepsWrites, true, observation{samples: []sample{with(got(kindCreate, 3, 503, quick), reference)}}},

		{"back after 5 s", recovers, true, observation{samples: []sample{got(kindList, 11, 503, quick), got(kindList, 12, 200, quick)}}},
		{"back later", recovers, false, observation{samples: []sample{got(kindList, 11.1, 503, quick), got(kindList, 12, 200, quick)}}},
		{"no requests", recovers, false, observation{}},

		{"a line", logsOnce, true, observation{messages: map[message]int{{program: "gateway", text: "down"}: 1}}},
		{"the same line twice", logsOnce, false, observation{messages: map[message]int{{program: "gateway", text: "down"}: 2}}},
		{"twice, but so did the fault", logsOnce, true, observation{fault: fault{changes: 2}, messages: map[message]int{{program: "gateway", text: "down"}: 2}}},
		{"failures without a log line", logsOnce, false, observation{samples: []sample{got(kindList, 3, 503, quick)}}},

		{"two concurrent introspections", looksUpOnce, false, observation{seen: []request{
			{at: at(3), path: "/internal/v1/introspect", form: "token=x"}, {at: at(3.05), path: "/internal/v1/introspect", form: "token=x"},
		}}},
		{"a retry after a connection broke at the end", looksUpOnce, true, observation{seen: []request{
			{at: at(5.99), path: "/internal/v1/introspect", form: "token=x"}, {at: at(6.01), path: "/internal/v1/introspect", form: "token=x"},
		}}},
		{"introspections of two tokens", looksUpOnce, true, observation{seen: []request{
			{at: at(3), path: "/internal/v1/introspect", form: "token=x"}, {at: at(3.05), path: "/internal/v1/introspect", form: "token=y"},
		}}},

		{"revoked and refused", revokedWithin(time.Second), true, observation{tokenRevoked: at(2), samples: []sample{got(kindRevocable, 2.9, 200, quick), got(kindRevocable, 3.1, 401, quick)}}},
		{"revoked and accepted", revokedWithin(time.Second), false, observation{tokenRevoked: at(2), samples: []sample{got(kindRevocable, 3.1, 200, quick)}}},

		{"served for a minute", servesToTheBound, true, observation{removed: at(72), samples: []sample{got(kindList, 50, 200, quick), got(kindList, 70, 503, quick)}}},
		{"refused early", servesToTheBound, false, observation{removed: at(72), samples: []sample{got(kindList, 20, 503, quick)}}},
		{"served without a bound", servesToTheBound, false, observation{removed: at(72), samples: []sample{got(kindList, 70, 200, quick)}}},

		{"as slow as the control", ofRedisGone[0], true, observation{comparisons: comparisons(30*time.Millisecond, 30*time.Millisecond)}},
		{"slower by less than 60", ofRedis[2], true, observation{comparisons: comparisons(4*time.Millisecond, 3*time.Millisecond)}},
		{"slower by a millisecond", ofRedisGone[0], false, observation{comparisons: comparisons(4*time.Millisecond, 3*time.Millisecond)}},
		{"never measured", ofRedisGone[0], false, observation{}},

		{"stuck no more than the pool", stuckAtMostThePool, true, observation{stuck: map[string]stuck{"a-svc": {20, 20}, "b-svc": {21, 25}}}},
		{"stuck beyond one pool", stuckAtMostThePool, false, observation{stuck: map[string]stuck{"a-svc": {21, 20}, "b-svc": {21, 25}}}},
		{"unknown number of stuck goroutines", stuckAtMostThePool, false, observation{}},

		{"one row of a retried key", retriedOnce, true, observation{samples: []sample{with(got(kindRepeat, 3, 201, quick), reference)}, stored: map[string]int{"A": 1}}},
		{"two", retriedOnce, false, observation{samples: []sample{with(got(kindRepeat, 3, 201, quick), reference)}, stored: map[string]int{"A": 2}}},

		{"lost in the gateway", losesOnlyInFlight, true, observation{
			fault: fault{gateway: gatewayKilled}, samples: []sample{with(got(kindList, 1.9, 0, time.Second), lost), with(got(kindList, 4, 0, quick), refused)},
		}},
		{"lost later", losesOnlyInFlight, false, observation{
			fault: fault{gateway: gatewayKilled}, samples: []sample{with(got(kindList, 4, 0, quick), lost)},
		}},

		{"a slow drain", ofRestarts[1], false, observation{drains: []time.Duration{11 * time.Second}}},
		{"half-open ones closed in time", closesHalfOpen, true, observation{closed: make([]time.Duration, halfOpen)}},
		{"one not closed", closesHalfOpen, false, observation{closed: make([]time.Duration, halfOpen-1)}},
		{"POST tried twice", ofOneOfTwo[1], false, observation{seen: []request{
			{method: "POST", path: "/api/v1/shipments", id: "req_1"}, {method: "POST", path: "/api/v1/shipments", id: "req_1"},
		}}},
		{"GET tried twice", ofOneOfTwo[1], true, observation{seen: []request{
			{method: "GET", path: "/api/v1/shipments", id: "req_1"}, {method: "GET", path: "/api/v1/shipments", id: "req_1"},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := tt.seen
			o.began, o.injected = at(2), at(2.1)
			if o.removed.IsZero() {
				o.removed = at(6)
			}
			kept, seen := tt.promise.kept(&o)
			if kept != tt.kept {
				t.Errorf("%s: kept is %v (%s)", tt.promise.text, kept, seen)
			}
			if seen == "" {
				t.Error("no description")
			}
		})
	}
}

// comparisons returns 500, one in fifty of which takes the given durations: they
// are the p99.
func comparisons(gateway, control time.Duration) (all []comparison) {
	for n := range 500 {
		t := comparison{got(kindOne, 4, 200, time.Millisecond), got(kindOne, 4, 200, time.Millisecond)}
		if n%50 == 0 {
			t.gateway.took, t.control.took = gateway, control
		}
		all = append(all, t)
	}
	return all
}

// windowOf is one window of requests that passed, and one that did not.
func windowOf(passed int) []sample {
	samples := []sample{got(kindLimited, 5, 429, time.Millisecond)}
	for range passed {
		samples = append(samples, with(got(kindLimited, 3, 200, time.Millisecond), func(s *sample) { s.reset = 1_800_000_010 }))
	}
	return samples
}

// If both sides are occasionally slow, one p99 exceeds the other by chance.
func TestRandomDifferencesAreNotAddedLatency(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		slowAtGateway, slowAtControl int // of a thousand
		kept                         bool
	}{
		"as often as the control": {12, 9, true},
		"far more often":          {19, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []comparison
			for n := range 1000 {
				t := comparison{got(kindOne, 4, 200, time.Millisecond), got(kindOne, 4, 200, time.Millisecond)}
				if n < tt.slowAtGateway {
					t.gateway.took = 50*time.Millisecond + time.Duration(n)
				}
				if n < tt.slowAtControl {
					t.control.took = 50*time.Millisecond + time.Duration(n)
				}
				all = append(all, t)
			}
			if kept, seen := addsLess(time.Millisecond, all); kept != tt.kept {
				t.Errorf("kept is %v: %s", kept, seen)
			}
		})
	}
}

func TestP99(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for n := range 1000 {
		took = append(took, time.Duration(1000-n))
	}
	if got := p99(took); got != 990 {
		t.Errorf("got %d", got)
	}
}

func TestResourcesAboveTheirStartAreListed(t *testing.T) {
	t.Parallel()
	start := resources{"gateway": {"goroutines": 100, "memory": 50 << 20}}
	if above := (resources{"gateway": {"goroutines": 110, "memory": 71 << 20}}).above(start); len(above) != 0 {
		t.Errorf("within ten percent: %v", above)
	}
	above := resources{"gateway": {"goroutines": 111, "memory": 72 << 20}}.above(start)
	if !slices.Equal(above, []string{"gateway: goroutines 111, at the start 100", "gateway: memory 72.0 MiB, at the start 50.0 MiB"}) {
		t.Errorf("got %v", above)
	}
}
