package ratelimit

import (
	"errors"
	"testing"
	"time"
)

var (
	errTest = errors.New("read: i/o timeout")
	testEnd = time.Unix(1_795_255_455, 0)
)

// unreachable returns a limiter without Redis.
func unreachable(options Options) *Limiter {
	l := New(new(recorder), options, time.Now)
	l.memory = newMemory(100)
	return l
}

// takeFallback makes n requests of tok_x and returns how many are allowed, and the last remaining count.
func (l *Limiter) takeFallback(t *testing.T, limit, n int, fault error) (passed, remaining int) {
	t.Helper()
	w := Window{ID: "tok_x", Limit: limit, Length: time.Minute}
	for range n {
		result, err := l.decideFallback(State{Window: w, Reset: testEnd}, fault)
		if err != nil || result.Source != Local || result.Remaining < 0 {
			t.Fatalf("%+v, %v", result, err)
		}
		if result.Allowed {
			passed++
		}
		remaining = result.Remaining
	}
	return passed, remaining
}

func TestLocalFallbackAllowsTheShareLessWhatRedisCounted(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ limit, replicas, used, granted, want int }{
		{100, 1, 0, 0, 100},
		{100, 0, 0, 0, 100},
		{100, 3, 0, 0, 34},
		{100, 3, 50, 20, 34},
		{100, 3, 90, 20, 10},
		{100, 1, 90, 20, 10},
		{100, 1, 20, 20, 80},
		{100, 1, 0, 95, 5}, // Redis has lost its data
		{100, 1, 100, 20, 0},
		{1, 5, 0, 0, 1},
	} {
		l := unreachable(Options{Replicas: tt.replicas})
		l.memory.update(Window{ID: "tok_x", Length: time.Minute}, testEnd, func(known *tally) {
			known.used, known.granted = tt.used, tt.granted
		})
		if passed, remaining := l.takeFallback(t, tt.limit, tt.limit+5, errTest); passed != tt.want || remaining != 0 {
			t.Errorf("%+v: %d passed, then %d remain", tt, passed, remaining)
		}
	}
}

func TestDownPolicyDenyAndAllow(t *testing.T) {
	t.Parallel()

	if passed, _ := unreachable(Options{Down: DownAllow}).takeFallback(t, 10, 500, errTest); passed != 500 {
		t.Errorf("%d of 500 passed", passed)
	}
	result, err := unreachable(Options{Down: DownDeny}).decideFallback(State{}, errTest)
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, errTest) || result.Allowed || result.Source != None {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAWindowKnownToBeEmptyIsRefusedWithoutRedisUnlessEveryRequestIsAllowed(t *testing.T) {
	t.Parallel()

	for down, want := range map[DownPolicy]bool{DownLocal: false, DownDeny: false, DownAllow: true} {
		l := unreachable(Options{Down: down})
		breaker := l.batcher.breaker
		breaker.open.Store(true)
		breaker.retryAt = time.Now().Add(time.Hour)
		w := Window{ID: "tok_x", Limit: 100, Length: 24 * time.Hour}
		l.memory.update(w, w.end(l.clock.now()), func(known *tally) { known.granted = w.Limit })
		if result, err := l.Take(t.Context(), w); err != nil || result.Allowed != want {
			t.Errorf("%s: %+v, %v", down, result, err)
		}
	}
}
