package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

var errTest = errors.New("read: i/o timeout")

// unreachable returns a limiter without Redis.
func unreachable(options Options) *Limiter {
	l := New(nil, options, time.Now)
	l.memory = newMemory(100)
	return l
}

// takeFallback makes n requests of tok_x and returns how many are allowed, and the last remaining count.
func (l *Limiter) takeFallback(t *testing.T, limit, n int, fault error) (passed, remaining int) {
	t.Helper()
	const id = "tok_x"
	w := windowAt(time.Unix(1_795_255_432, 0), id, time.Minute)
	for range n {
		result, err := l.decideFallback(Result{Quota: Quota{limit, time.Minute}}, id, w, 1, fault)
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
		l.memory.update("tok_x", windowAt(time.Unix(1_795_255_432, 0), "tok_x", time.Minute), func(known *tally) {
			known.used, known.granted = tt.used, tt.granted
		})
		if passed, remaining := l.takeFallback(t, tt.limit, tt.limit+5, errTest); passed != tt.want || remaining != 0 {
			t.Errorf("%+v: %d passed, then %d remain", tt, passed, remaining)
		}
	}
}

func TestNumberOfGatewaysOnlyGrowsForAWhileAfterAnOutage(t *testing.T) {
	t.Parallel()

	r := newReplicas(nil, nil)
	start := time.Now()
	for _, step := range []struct {
		after time.Duration
		n     int64
		err   error
		want  int
	}{
		{0, 0, errTest, 2}, // never registered: the floor
		{0, 5, nil, 5},
		{registrationLife, 3, nil, 3}, // two were stopped
		{20 * time.Second, 0, errTest, 3},
		{21 * time.Second, 1, nil, 3}, // the others have not registered again yet
		{22 * time.Second, 4, nil, 4},
		{23 * time.Second, 3, nil, 4},
		{20*time.Second + registrationLife, 3, nil, 3},
		{40 * time.Second, 1, nil, 2},
	} {
		if now := start.Add(step.after); step.err != nil {
			r.failedAt = now
		} else {
			r.record(step.n, now)
		}
		if got := r.count(2); got != step.want {
			t.Errorf("%+v: divided by %d", step, got)
		}
	}
}

func TestDownPolicyDenyAndAllow(t *testing.T) {
	t.Parallel()

	if passed, _ := unreachable(Options{Down: DownAllow}).takeFallback(t, 10, 500, errTest); passed != 500 {
		t.Errorf("%d of 500 passed", passed)
	}
	w := windowAt(time.Unix(1_795_255_432, 0), "tok_x", time.Minute)
	result, err := unreachable(Options{Down: DownDeny}).decideFallback(Result{}, "tok_x", w, 1, errTest)
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, errTest) || result.Allowed || result.Source != None {
		t.Errorf("%+v, %v", result, err)
	}
}

// The tally after each step of an outage.
func TestFallbackRequestsAreReconciledOnce(t *testing.T) {
	t.Parallel()

	l := unreachable(Options{})
	w := windowAt(time.Unix(1_795_255_432, 0), "tok_x", time.Minute)
	check := func(step string, used, granted, fallback, unsynced int) {
		t.Helper()
		known := l.memory.get("tok_x", w)
		if known.used != used || known.granted != granted || known.fallback != fallback || known.unsynced != unsynced {
			t.Errorf("%s: %+v", step, known)
		}
	}
	l.memory.update("tok_x", w, func(known *tally) { known.applyReply(100, 0, 10, 60) })
	check("Redis granted 10 and 60 remain", 40, 10, 0, 0)
	l.takeFallback(t, 100, 5, errNotSent)
	check("5 were not sent", 40, 15, 5, 5)
	l.takeFallback(t, 100, 3, errTest)
	check("3 were not answered", 43, 18, 8, 5)
	l.memory.update("tok_x", w, func(known *tally) { known.applyTimeout(5) })
	check("the 5 were sent and not answered", 48, 18, 8, 0)
	l.takeFallback(t, 100, 2, errNotSent)
	l.memory.update("tok_x", w, func(known *tally) {
		if pass, left := known.applyReply(100, 2, 3, 50); pass != 1 || left != 50 {
			t.Errorf("%d pass, %d left", pass, left)
		}
	})
	check("Redis granted the unsynced and one more", 50, 21, 10, 0)
	l.takeFallback(t, 100, 4, errNotSent)
	l.memory.update("tok_x", w, func(known *tally) {
		if pass, left := known.applyReply(100, 4, 3, 0); pass != 0 || left != 0 {
			t.Errorf("%d pass, %d left", pass, left)
		}
	})
	check("Redis had only 3 left", 100, 25, 14, 0)
}

func TestMayBeCountedUnlessNeverSent(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		fault error
		want  bool
	}{
		{errCircuitOpen, false},
		{errSkipped, false},
		{errQueueFull, false},
		{fmt.Errorf("x: %w", &net.OpError{Op: "dial", Err: io.EOF}), false},
		{redis.ErrPoolTimeout, true}, // not distinguished
		{&net.OpError{Op: "read", Err: io.EOF}, true},
		{context.DeadlineExceeded, true},
		{io.EOF, true},
	} {
		if got := mayBeCounted(tt.fault); got != tt.want {
			t.Errorf("%v: %v", tt.fault, got)
		}
	}
}

func TestClockSkewIsLoggedOncePerChange(t *testing.T) {
	t.Parallel()

	core, logs := observer.New(zapcore.InfoLevel)
	j := newStateLog(func() *zap.Logger { return zap.New(core) })
	for _, ahead := range []time.Duration{
		0, time.Second, -1500 * time.Millisecond, 2 * time.Second, time.Hour, 0, 0,
		3 * time.Second,
	} {
		j.clockSkewed(ahead)
	}
	if logs.Len() != 3 || logs.FilterLevelExact(zapcore.WarnLevel).Len() != 2 {
		t.Errorf("logged %v", logs.All())
	}
}

func TestFallbackTakesAllOrNone(t *testing.T) {
	t.Parallel()

	l := unreachable(Options{})
	w := windowAt(time.Unix(1_795_255_432, 0), "tok_x", time.Minute)
	for _, step := range []struct {
		cost, remaining int
		allowed         bool
	}{{8, 2, true}, {3, 2, false}, {1, 1, true}, {2, 1, false}, {1, 0, true}, {1, 0, false}} {
		got, err := l.decideFallback(Result{Quota: Quota{Limit: 10, Window: time.Minute}}, "tok_x", w, step.cost, errNotSent)
		if err != nil || got.Allowed != step.allowed || got.Remaining != step.remaining {
			t.Errorf("%+v: %+v, %v", step, got, err)
		}
	}
}
