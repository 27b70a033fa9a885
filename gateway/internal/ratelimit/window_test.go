package ratelimit

import (
	"fmt"
	"testing"
	"time"
)

func TestWindowsFollowEachOtherWithoutGap(t *testing.T) {
	t.Parallel()

	for _, length := range []time.Duration{time.Second, 7 * time.Second, time.Minute, time.Hour} {
		w, now := Window{ID: "tok_4fZyo82mVyR1", Length: length}, time.Unix(1_795_255_432, 0)
		previous := w.end(now)
		for range 1000 {
			now = now.Add(length / 8)
			end := w.end(now)
			if !now.Before(end) || end.Sub(now) > length {
				t.Fatalf("%v is not in the window of %v that ends at %v", now, length, end)
			}
			if step := end.Sub(previous); step != 0 && step != length || (w.key(end) == w.key(previous)) != (step == 0) {
				t.Fatalf("%s after %s", w.key(end), w.key(previous))
			}
			previous = end
		}
	}
}

func TestWindowsOfDifferentLengthsShareNoKey(t *testing.T) {
	t.Parallel()

	end := time.Unix(1_795_255_455, 0)
	long, short := Window{ID: "tok_x", Length: 11 * time.Second}, Window{ID: "tok_x", Length: time.Second}
	if long.key(end) == short.key(end) {
		t.Errorf("both have the key %q", long.key(end))
	}
}

func TestWindowsOfDifferentIdsEndAtDifferentSeconds(t *testing.T) {
	t.Parallel()

	ends := map[int64]int{}
	for i := range 1000 {
		w := Window{ID: fmt.Sprint("tok_", i), Length: time.Minute}
		ends[w.end(time.Unix(1_795_255_432, 0)).Unix()]++
	}
	for end, ids := range ends {
		if ids > 50 {
			t.Errorf("%d of 1000 windows end at %d", ids, end)
		}
	}
}

func TestNoRequestIsRegainedWhileAKeyIsInUse(t *testing.T) {
	t.Parallel()

	for _, length := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		if limit := (Window{Limit: 100, Length: length}).limit(); limit.Period <= length+keyGrace || limit.Rate != 1 {
			t.Errorf("window %v: one request is regained every %v", length, limit.Period)
		}
	}
}

func TestSecondsLeftAreRoundedUpAndAtLeast1(t *testing.T) {
	t.Parallel()

	reset := time.Unix(1_795_255_455, 0)
	for left, want := range map[time.Duration]int{
		time.Minute: 60, 59*time.Second + 1: 60, 59 * time.Second: 59, 1: 1, 0: 1, -time.Second: 1,
	} {
		if got := (State{Reset: reset, Now: reset.Add(-left)}).SecondsLeft(); got != want {
			t.Errorf("%v left: %d, want %d", left, got, want)
		}
	}
}
