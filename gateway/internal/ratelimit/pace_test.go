package ratelimit

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFlushesKeepTheirDistance(t *testing.T) {
	t.Parallel()
	withAnswers(t, func(t *testing.T, a *answers, l *Limiter) {
		start := time.Now()
		for i := range 3 { // the first finds the batcher idle
			l.take(t, fmt.Sprint("tok_", i))
			if took, want := time.Since(start), time.Duration(i)*flushInterval; took != want {
				t.Errorf("request %d has its result after %v, want %v", i, took, want)
			}
		}
		time.Sleep(flushInterval)
		idle := time.Now()
		if l.take(t, "tok_x"); !time.Now().Equal(idle) {
			t.Errorf("an idle batcher waits %v", time.Since(idle))
		}
		if n := a.flushes.Load(); n != 4 {
			t.Errorf("%d flushes", n)
		}
	})
}

func TestFlushesAreRarerInABurst(t *testing.T) {
	t.Parallel()
	withAnswers(t, func(t *testing.T, _ *answers, l *Limiter) {
		sample := burstRate * int(sampleTime) / int(time.Second) * runtime.GOMAXPROCS(0)
		// pause makes a sample of n requests and returns how long the request after the next one waits.
		pause := func(n int) time.Duration {
			l.take(t, "tok_first") // ends the sample before
			time.Sleep(burstInterval)
			var callers sync.WaitGroup
			for i := range n {
				callers.Go(func() { l.take(t, fmt.Sprint("tok_", i)) })
			}
			callers.Wait()
			synctest.Wait()
			time.Sleep(sampleTime - time.Since(l.batcher.sampleStart))
			l.take(t, "tok_last")
			start := time.Now()
			l.take(t, "tok_next")
			return time.Since(start)
		}
		time.Sleep(sampleTime)
		for _, tt := range []struct {
			requests int
			want     time.Duration
		}{{sample - 2, flushInterval}, {sample, burstInterval}, {1, flushInterval}} {
			if got := pause(tt.requests); got != tt.want {
				t.Errorf("after %d requests in %v: flushes %v apart, want %v", tt.requests, sampleTime, got, tt.want)
			}
			time.Sleep(sampleTime)
		}
	})
}

func TestWriteBehindRequestsReachRedisWithinTheDelayEachTime(t *testing.T) {
	t.Parallel()
	withAnswers(t, func(t *testing.T, a *answers, l *Limiter) {
		quota := Quota{Limit: 100, Window: 24 * time.Hour}
		if result, err := l.TakeWriteBehind(t.Context(), "address:x", quota); err != nil || result.Source != Redis {
			t.Fatalf("the first request does not wait for Redis: %+v, %v", result, err)
		}
		for round := range 3 {
			before := a.calls.Load()
			result, err := l.TakeWriteBehind(t.Context(), "address:x", quota)
			if err != nil || result.Source != WriteBehind || !result.Allowed || a.calls.Load() != before {
				t.Errorf("round %d: %+v, %v after %d calls", round, result, err, a.calls.Load()-before)
			}
			time.Sleep(writeBehindDelay - 1)
			if a.calls.Load() != before {
				t.Errorf("round %d: %d calls before the delay", round, a.calls.Load()-before)
			}
			time.Sleep(time.Nanosecond)
			if synctest.Wait(); a.calls.Load() != before+1 || l.State().Unsynced != 0 {
				t.Errorf("round %d: %d calls, %+v", round, a.calls.Load()-before, l.State())
			}
		}
		l.breaker.open.Store(true)
		if _, err := l.TakeWriteBehind(t.Context(), "address:x", quota); err == nil {
			t.Error("without Redis, a request is counted afterwards")
		}
	})
}
