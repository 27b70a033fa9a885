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
		m.update(id, windowAt(now, id, time.Minute), func(known *tally) { known.empty = 100 })
	}
	count := func() (n int) {
		for i := range m.shards {
			n += len(m.shards[i].tallies)
		}
		return n
	}
	mark("tok_4fZyo82mVyR1")
	for i := range most + most/4 {
		mark(fmt.Sprint("address:", i))
	}
	if got := count(); got > most+1 || got < most*9/10 {
		t.Errorf("%d windows are stored, want at most %d", got, most+1)
	}
	if id := "tok_4fZyo82mVyR1"; m.get(id, windowAt(now, id, time.Minute)).empty != 100 {
		t.Error("addresses pushed out a token")
	}

	// Ended windows are evicted as others come, before a shard is full.
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

	m, id, now := newMemory(memorySize), "tok_4fZyo82mVyR1", time.Unix(1_795_255_432, 0)
	m.update(id, windowAt(now, id, time.Minute), func(known *tally) { known.empty = 100 })
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
		known := m.get(id, windowAt(now.Add(tt.later), id, tt.length))
		if got := known.isEmpty(tt.limit); got != tt.want {
			t.Errorf("%+v: empty = %v", tt, got)
		}
	}
	// Another window replaces the first.
	next := windowAt(now.Add(time.Minute), id, time.Minute)
	m.update(id, next, func(known *tally) {
		if known.empty != 0 {
			t.Errorf("a new window begins with %+v", *known)
		}
	})
}
