package ratelimit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// answers is a Redis without a network: a hook that answers each script call, in a synctest bubble.
type answers struct {
	flushes atomic.Int64
	calls   atomic.Int64
	reply   func(cost int64) (allowed, remaining int64, err error)
}

func (a *answers) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (a *answers) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (a *answers) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(_ context.Context, cmds []redis.Cmder) error {
		a.flushes.Add(1)
		for _, cmd := range cmds {
			call, ok := cmd.(sentOnce)
			if !ok {
				continue
			}
			a.calls.Add(1)
			cost, _ := call.Args()[len(call.Args())-1].(int)
			allowed, remaining, err := a.reply(int64(cost))
			call.SetVal([]any{allowed, remaining, "-1", "60"})
			call.SetErr(err)
		}
		return nil
	}
}

// withAnswers runs test with a limiter on a Redis that allows everything, whose clock was read just now.
func withAnswers(t *testing.T, test func(t *testing.T, a *answers, l *Limiter)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, err := NewClient("redis://192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		a := &answers{reply: func(cost int64) (int64, int64, error) { return cost, 50, nil }}
		client.AddHook(a)
		l := New(client, Options{Down: DownDeny}, time.Now)
		l.clock.last.Store(&reading{redis: time.Now(), local: time.Now()})
		test(t, a, l)
		l.Close()
		_ = client.Close()
	})
}

// A value that cannot be repaired must not be sent again and again.
func TestKeyThatStaysCorruptFailsTheRequest(t *testing.T) {
	t.Parallel()
	withAnswers(t, func(t *testing.T, a *answers, l *Limiter) {
		a.reply = func(int64) (int64, int64, error) {
			return 0, 0, wrongType{}
		}
		if _, err := l.Take(t.Context(), "tok_x", Quota{Limit: 100, Window: time.Minute}); !errors.Is(err, ErrUnavailable) ||
			a.calls.Load() != 2 {
			t.Errorf("%v after %d calls", err, a.calls.Load())
		}
	})
}

// wrongType is Redis's error for a key of another type.
type wrongType struct{}

func (wrongType) Error() string {
	return "WRONGTYPE Operation against a key holding the wrong kind of value"
}
func (wrongType) RedisError() {}

func TestCloseStopsTheProbes(t *testing.T) {
	t.Parallel()

	l := unreachable(Options{})
	l.Close()
	if l.nodes.single.breaker.closing.Err() == nil || l.clock.breaker.closing.Err() == nil {
		t.Error("probes continue")
	}
}
