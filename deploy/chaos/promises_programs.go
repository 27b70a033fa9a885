package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// ofOneOfTwo: the other replica takes over.
var ofOneOfTwo = []promise{
	{"at most 1 % errors after 3 s", func(o *observation) (bool, string) {
		late := filter(customers(o.during()), func(s sample) bool { return s.start.Sub(o.began) > ejectionTime })
		active := failures(late)
		if len(active) == 0 {
			return true, fmt.Sprintf("none of %d", len(late))
		}
		return share(len(active), len(late)) <= acceptableErrors,
			fmt.Sprintf("%.1f %% of %d: %s", 100*share(len(active), len(late)), len(late), outcomes(active, 2))
	}},
	{"GET is tried at most twice, POST once", func(o *observation) (bool, string) {
		tries := map[string]int{}
		gets, posts := 0, 0
		for _, r := range o.seen {
			if r.id == "" || !strings.HasPrefix(r.path, "/api/v1/shipments") {
				continue
			}
			tries[r.id]++
			if r.method == http.MethodPost {
				posts = max(posts, tries[r.id])
			} else {
				gets = max(gets, tries[r.id])
			}
		}
		return gets <= 2 && posts <= 1, fmt.Sprintf("GET up to %d, POST up to %d", gets, posts)
	}},
}

// ofRestarts: no request fails.
var ofRestarts = []promise{
	{"no failed request", func(o *observation) (bool, string) {
		return none(filter(customers(o.since()), func(s sample) bool { return !o.excused(s) }))
	}},
	{"in-flight requests finish within 10 s", func(o *observation) (bool, string) {
		longest := slices.Max(append(o.drains, 0))
		return longest <= longestDrain, fmt.Sprintf("the longest stop took %s", ms(longest))
	}},
}

// resetsFew bounds the connections that a reload resets, unless Linux moves them to
// the new listener (net.ipv4.tcp_migrate_req).
var resetsFew = promise{"at most 1 of 500 connections is reset", func(o *observation) (bool, string) {
	all := o.since()
	reset := filter(all, func(s sample) bool { return s.aborted })
	return 500*len(reset) <= len(all), fmt.Sprintf("%d of %d", len(reset), len(all))
}}

var losesOnlyInFlight = promise{"only its in-flight requests are lost", func(o *observation) (bool, string) {
	lost := filter(failures(customers(o.since())), func(s sample) bool { return !s.refused })
	other := filter(lost, func(s sample) bool { return !o.excused(s) })
	return len(other) == 0, fmt.Sprintf("%d in flight, %d others", len(lost)-len(other), len(other))
}}

var refusesWrites = promise{"503 on writes, and reads go on", func(o *observation) (bool, string) {
	during := filter(o.during(), func(s sample) bool { return s.start.After(o.injected) })
	wrong := filter(ofKind(during, kindCreate), func(s sample) bool {
		return s.status != http.StatusServiceUnavailable || !s.retryAfter
	})
	wrong = append(wrong, failures(ofKind(during, kindList, kindOne, kindSelf, kindFresh))...)
	return len(wrong) == 0, fmt.Sprintf("%d otherwise%s", len(wrong), list([]string{outcomes(wrong, 2)}))
}}

var servesOn = promise{"serving goes on", func(o *observation) (bool, string) { return none(customers(o.during())) }}

var closesHalfOpen = promise{"1,000 half-open connections are closed within 30 s", func(o *observation) (bool, string) {
	longest := slices.Max(append(o.closed, 0))
	return len(o.closed) == halfOpen && longest <= longestHalfOpen,
		fmt.Sprintf("%d closed, the last after %.1f s", len(o.closed), longest.Seconds())
}}
