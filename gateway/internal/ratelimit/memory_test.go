package ratelimit

import (
	"fmt"
	"testing"
	"time"
)

func TestMemoryIsBoundedAndAddressesEvictNoTokens(t *testing.T) {
	t.Parallel()

	const most = 3200
	m := newMemory(most)
	now := time.Unix(1_795_255_432, 0)
	mark := func(id string) {
		w := Window{ID: id, Length: time.Minute}
		m.update(w, w.end(now), func(known *tally) { known.empty = 100 })
	}
	count := func() int { return len(m.tokens) + len(m.others) }
	mark("tok_4fZyo82mVyR1")
	for i := range most + most/4 {
		mark(fmt.Sprint("address:", i))
	}
	if got := count(); got > most+1 || got < most*9/10 {
		t.Errorf("%d windows are stored, want at most %d", got, most+1)
	}
	if w := (Window{ID: "tok_4fZyo82mVyR1", Length: time.Minute}); m.get(w, w.end(now)).empty != 100 {
		t.Error("addresses pushed out a token")
	}

	// Ended windows are evicted as others come, before the bound.
	now = now.Add(2 * time.Minute)
	for i := range most / 2 {
		mark(fmt.Sprint("address:later", i))
	}
	if got := count(); got > most*3/4 {
		t.Errorf("%d windows are stored after most were over", got)
	}
}

func TestMemoryDistinguishesWindowsAndLimits(t *testing.T) {
	t.Parallel()

	m, now := newMemory(memorySize), time.Unix(1_795_255_432, 0)
	w := Window{ID: "tok_4fZyo82mVyR1", Length: time.Minute}
	m.update(w, w.end(now), func(known *tally) { known.empty = 100 })
	for _, tt := range []struct {
		later, length time.Duration
		limit         int
		want          bool
	}{
		{0, time.Minute, 100, true},
		{0, time.Minute, 40, true},
		{0, time.Minute, 101, false},
		{0, 2 * time.Minute, 100, false},
		{time.Minute, time.Minute, 100, false},
		{-time.Minute, time.Minute, 100, false},
	} {
		other := Window{ID: w.ID, Length: tt.length}
		known := m.get(other, other.end(now.Add(tt.later)))
		if got := known.isEmpty(tt.limit); got != tt.want {
			t.Errorf("%+v: empty = %v", tt, got)
		}
	}
	// Another window replaces the first.
	m.update(w, w.end(now.Add(time.Minute)), func(known *tally) {
		if known.empty != 0 {
			t.Errorf("a new window begins with %+v", *known)
		}
	})
}

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
