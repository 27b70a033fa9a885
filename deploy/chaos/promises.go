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

// The bounds that are the same for every fault.
const (
	longestRequest   = 2 * time.Second
	longestRecovery  = 5 * time.Second
	longestDrain     = 10 * time.Second
	longestHalfOpen  = 30 * time.Second
	longestRevoked   = time.Second      // with the change stream up
	longestStale     = 60 * time.Second // without tokens-svc
	ejectionTime     = 3 * time.Second  // until a failing replica is ejected
	acceptableErrors = 0.01
)

// everywhere holds during every fault.
var everywhere = []promise{inTime, explained, failsClosed, neverA401, exact, keepsWrites, recovers, logsOnce}

var inTime = promise{"no request takes over 2 s", func(o *observation) (bool, string) {
	all := o.since()
	worst := longest(all)
	return worst.took <= longestRequest, fmt.Sprintf("the longest of %d took %s (%s, %s)", len(all), ms(worst.took), worst.kind, worst.outcome())
}}

var explained = promise{"every failure is problem+json with a request id", func(o *observation) (bool, string) {
	bare := filter(o.since(), func(s sample) bool {
		if s.status == 0 && o.fault.part == partRestarts && kindOf(s.kind).client {
			return false // reported by "no failed request"
		}
		return !o.excused(s) && (s.err != "" || s.status >= http.StatusBadRequest && !s.explained)
	})
	if len(bare) > 0 {
		return false, fmt.Sprintf("%d without: %s", len(bare), outcomes(bare, 3))
	}
	return true, fmt.Sprintf("all %d", len(filter(o.since(), func(s sample) bool { return s.status >= http.StatusBadRequest })))
}}

var failsClosed = promise{"nothing fails open", func(o *observation) (bool, string) {
	barred := filter(o.since(), func(s sample) bool {
		k := kindOf(s.kind)
		return !k.client && !slices.ContainsFunc(k.right, func(status int) bool { return status < 300 })
	})
	open := filter(barred, sample.passed)
	if len(open) > 0 {
		return false, fmt.Sprintf("%d of %d let through, such as %s", len(open), len(barred), open[0].kind)
	}
	return true, fmt.Sprintf("%d requests without permission, none let through", len(barred))
}}

var neverA401 = promise{"never a 401 for a good token", func(o *observation) (bool, string) {
	good := append(customers(o.since()), ofKind(o.since(), kindLimited)...)
	refused := filter(good, func(s sample) bool { return s.status == http.StatusUnauthorized })
	return len(refused) == 0, fmt.Sprintf("%d of %d", len(refused), len(good))
}}

var exact = promise{"no window lets more through than it may", func(o *observation) (bool, string) {
	may := limitedQuota
	if o.fault.part == partRedis {
		may += limitedQuota
	}
	most, windows := 0, map[int64]int{}
	for _, s := range ofKind(o.samples, kindLimited) {
		if s.passed() {
			windows[s.reset]++
			most = max(most, windows[s.reset])
		}
	}
	return most <= may, fmt.Sprintf("%d passed where %d may", most, may)
}}

var keepsWrites = promise{"no acknowledged write is lost", func(o *observation) (bool, string) {
	acknowledged := filter(ofKind(o.samples, kindCreate, kindRepeat), sample.passed)
	lost := filter(acknowledged, func(s sample) bool { return o.stored[s.call.reference] == 0 })
	if o.countErr != nil {
		return false, o.countErr.Error()
	}
	return len(lost) == 0, fmt.Sprintf("%d of %d lost", len(lost), len(acknowledged))
}}

var recovers = promise{"full service within 5 s of the end, without a restart", func(o *observation) (bool, string) {
	after := filter(customers(o.samples), func(s sample) bool { return s.start.After(o.removed) })
	active := failures(after)
	switch {
	case len(o.crashed) > 0:
		return false, strings.Join(o.crashed, ", ") + " exited by itself"
	case len(after) == 0:
		return false, "no requests"
	}
	var last time.Duration
	for _, s := range active {
		last = max(last, s.start.Sub(o.removed))
	}
	if len(active) == 0 {
		return true, "at once"
	}
	return last <= longestRecovery, fmt.Sprintf("last failure after %s (%s)", ms(last), outcomes(active, 2))
}}

var logsOnce = promise{"one log line per state change", func(o *observation) (bool, string) {
	var most message
	for m, count := range o.messages {
		if count > o.messages[most] {
			most = m
		}
	}
	changes := max(o.fault.changes, 1)
	failed := len(failures(customers(o.during())))
	switch {
	case o.messages[most] > changes:
		return false, fmt.Sprintf("%s wrote %q %d times", most.program, most.text, o.messages[most])
	case len(o.messages) == 0 && failed > 0:
		return false, fmt.Sprintf("%d requests failed without a log line", failed)
	case len(o.messages) == 0:
		return true, "none, and nothing failed"
	default:
		return true, fmt.Sprintf("none repeated; %s: %q", most.program, most.text)
	}
}}

// none evaluates that no sample failed.
func none(samples []sample) (bool, string) {
	active := failures(samples)
	if len(active) == 0 {
		return len(samples) > 0, fmt.Sprintf("none of %d failed", len(samples))
	}
	return false, fmt.Sprintf("%d of %d failed: %s", len(active), len(samples), outcomes(active, 2))
}

// list formats the elements, if any.
func list(found []string) string {
	if text := strings.Join(found, ", "); text != "" {
		return ": " + text
	}
	return ""
}
