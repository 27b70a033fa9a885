package ratelimit

import (
	"fmt"
	"testing"
	"time"
)

func TestWindowsFollowEachOtherWithoutGap(t *testing.T) {
	t.Parallel()

	for _, length := range []time.Duration{time.Second, 7 * time.Second, time.Minute, time.Hour} {
		now := time.Unix(1_795_255_432, 0)
		previous := windowAt(now, "tok_4fZyo82mVyR1", length)
		for range 1000 {
			now = now.Add(length / 8)
			w := windowAt(now, "tok_4fZyo82mVyR1", length)
			if !now.Before(w.end()) || w.end().Sub(now) > length {
				t.Fatalf("%v is not in the window of %v that ends at %v", now, length, w.end())
			}
			if steps := w.number - previous.number; w.end().Sub(previous.end()) != time.Duration(steps)*length || steps < 0 ||
				steps > 1 {
				t.Fatalf("window %+v after %+v", w, previous)
			}
			if (w.key("a") == previous.key("a")) != (w.number == previous.number) {
				t.Fatal("two windows share a key")
			}
			previous = w
		}
	}
}

func TestWindowsOfDifferentLengthsShareNoKey(t *testing.T) {
	t.Parallel()

	long, short := window{length: 11 * time.Second, number: 1}, window{length: time.Second, number: 11}
	if long.key("tok_x") == short.key("tok_x") {
		t.Errorf("%+v and %+v have the key %q", long, short, long.key("tok_x"))
	}
}

func TestWindowsOfDifferentIdsEndAtDifferentSeconds(t *testing.T) {
	t.Parallel()

	ends := map[int64]int{}
	for i := range 1000 {
		ends[windowAt(time.Unix(1_795_255_432, 0), fmt.Sprint("tok_", i), time.Minute).end().Unix()]++
	}
	for end, ids := range ends {
		if ids > 50 {
			t.Errorf("%d of 1000 windows end at %d", ids, end)
		}
	}
}

func TestNoRequestIsRegainedWhileAKeyIsInUse(t *testing.T) {
	t.Parallel()

	for _, window := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		if limit := (Quota{Limit: 100, Window: window}).limit(); limit.Period <= window+keyGrace || limit.Rate != 1 {
			t.Errorf("window %v: one request is regained every %v", window, limit.Period)
		}
	}
}
