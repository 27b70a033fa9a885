package ratelimit

import (
	"testing"
)

// Other gateways have used up the window.
func TestWindowThatRedisReportsEmptyStaysEmptyUnlessTheLimitIsRaised(t *testing.T) {
	t.Parallel()

	var known tally
	if pass, left := known.applyReply(100, 0, 0, 0); pass != 0 || left != 0 {
		t.Errorf("%d pass, %d left", pass, left)
	}
	known.applyReply(50, 0, 0, 0) // the limit was lowered, and is raised again
	if !known.isEmpty(50) || !known.isEmpty(100) || known.isEmpty(101) {
		t.Errorf("%+v", known)
	}
	var other tally
	if other.applyReply(100, 0, 0, 1); other.isEmpty(100) {
		t.Errorf("one request is left: %+v", other)
	}
}

func TestReplyCountsUnsyncedRequestsFirst(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		known                                   tally
		unsynced, granted, remaining            int
		pass, left, grantedAfter, unsyncedAfter int
	}{
		"none unsynced":         {tally{}, 0, 2, 98, 2, 98, 2, 0},
		"all granted":           {tally{granted: 3, unsynced: 3}, 3, 5, 95, 2, 95, 5, 0},
		"part of the unsynced":  {tally{granted: 3, unsynced: 3}, 3, 2, 0, 0, 0, 3, 0},
		"more came meanwhile":   {tally{granted: 5, unsynced: 5}, 3, 4, 96, 1, 94, 6, 2},
		"Redis lost its data":   {tally{granted: 99}, 0, 2, 98, 1, 0, 100, 0},
		"the limit was lowered": {tally{granted: 120}, 0, 2, 98, 0, 0, 120, 0},
	} {
		pass, left := tt.known.applyReply(100, tt.unsynced, tt.granted, tt.remaining)
		if pass != tt.pass || left != tt.left || tt.known.granted != tt.grantedAfter ||
			tt.known.unsynced != tt.unsyncedAfter {
			t.Errorf("%s: %d pass, %d left: %+v", name, pass, left, tt.known)
		}
		if tt.known.used != 100-tt.remaining || tt.known.limit != 100 {
			t.Errorf("%s: %+v", name, tt.known)
		}
	}
}

func TestFallbackRequestsAreUnsyncedUnlessRedisMayHaveCountedThem(t *testing.T) {
	t.Parallel()

	var known tally
	known.passFallback(100, 2, true)
	known.passFallback(90, 3, false)
	if want := (tally{limit: 90, granted: 5, fallback: 5, unsynced: 2, used: 3}); known != want {
		t.Errorf("%+v, want %+v", known, want)
	}
	known.applyTimeout(2)
	if want := (tally{limit: 90, granted: 5, fallback: 5, used: 5}); known != want {
		t.Errorf("after a timeout: %+v, want %+v", known, want)
	}
}
