package ratelimit

import "testing"

// Other gateways have used up the window.
func TestWindowThatRedisReportsEmptyStaysEmptyUnlessTheLimitIsRaised(t *testing.T) {
	t.Parallel()

	var known tally
	if pass, left := known.applyReply(100, 0, 0); pass != 0 || left != 0 {
		t.Errorf("%d pass, %d left", pass, left)
	}
	known.applyReply(50, 0, 0) // the limit was lowered, and is raised again
	if !known.isEmpty(50) || !known.isEmpty(100) || known.isEmpty(101) {
		t.Errorf("%+v", known)
	}
	var other tally
	if other.applyReply(100, 0, 1); other.isEmpty(100) {
		t.Errorf("one request is left: %+v", other)
	}
}

// Redis may have lost its data, and a limit may be lowered.
func TestRepliesPassNoMoreThanTheLimitOfOneGateway(t *testing.T) {
	t.Parallel()

	for before, want := range map[int]int{0: 2, 98: 2, 99: 1, 100: 0, 120: 0} {
		known := tally{granted: before}
		if pass, left := known.applyReply(100, 2, 98); pass != want || left > 100-before-want && left > 0 || known.used != 2 {
			t.Errorf("after %d: %d pass, %d left: %+v", before, pass, left, known)
		}
	}
}
