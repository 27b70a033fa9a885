package ratelimit_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// newReplicas returns n limiters of gateways that are registered in one Redis, each of which knows of the others.
func newReplicas(t *testing.T, server *redistest.Server, n int) []*ratelimit.Limiter {
	t.Helper()
	limiters := make([]*ratelimit.Limiter, n)
	for i := range limiters {
		client, err := ratelimit.NewClient("redis://" + server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		limiters[i] = ratelimit.New(client, ratelimit.Options{}, time.Now)
		limiters[i].RegisterReplica()
		t.Cleanup(limiters[i].Close)
	}
	waitForReplicas(t, limiters, n)
	return limiters
}

func waitForReplicas(t *testing.T, limiters []*ratelimit.Limiter, n int) {
	t.Helper()
	redistest.Eventually(t, "all gateways count each other", func() bool {
		for _, limiter := range limiters {
			if ratelimit.Replicas(limiter) != n {
				return false
			}
		}
		return true
	})
}

// assertShares checks that each limiter allows share of 100 requests of a new window, for which Redis is not available.
func assertShares(t *testing.T, limiters []*ratelimit.Limiter, share int) {
	t.Helper()
	id := ratelimit.TokenID()
	for i, limiter := range limiters {
		waitForSource(t, limiter, ratelimit.Local)
		allowed := 0
		for range 110 {
			if result, err := limiter.Take(t.Context(), id, perDay); err != nil || result.Source != ratelimit.Local {
				t.Fatalf("%+v, %v", result, err)
			} else if result.Allowed {
				allowed++
			}
		}
		if allowed != share {
			t.Errorf("gateway %d allowed %d of 100, want %d", i, allowed, share)
		}
	}
}

func TestLocalFallbackDividesLimitsByTheNumberOfRegisteredGateways(t *testing.T) {
	t.Parallel()

	server := redistest.Start(t)
	limiters := newReplicas(t, server, 3)
	server.Stop()
	assertShares(t, limiters, 34)
}

func TestNumberOfGatewaysFollowsThoseThatStop(t *testing.T) {
	t.Parallel()

	server := redistest.Start(t)
	limiters := newReplicas(t, server, 3)
	limiters[2].Close()
	waitForReplicas(t, limiters[:2], 2)
	client := server.Client(t)
	if n, err := client.ZCard(t.Context(), "rate:gateways").Result(); err != nil || n != 2 {
		t.Errorf("%d gateways are registered, %v", n, err)
	}
	server.Stop()
	assertShares(t, limiters[:2], 50)
}

// A gateway that crashes does not unregister; its registration expires.
func TestNumberOfGatewaysForgetsThoseThatCrash(t *testing.T) {
	t.Parallel()

	server := redistest.Start(t)
	client := server.Client(t)
	now := client.Time(t.Context()).Val().Unix()
	for id, expiry := range map[string]int64{"long ago": now - 1, "just now": now + 3} {
		if err := client.Do(t.Context(), "zadd", "rate:gateways", expiry, id).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limiter := ratelimit.New(client, ratelimit.Options{}, time.Now)
	limiter.RegisterReplica()
	t.Cleanup(limiter.Close)
	waitForReplicas(t, []*ratelimit.Limiter{limiter}, 2)
	waitForReplicas(t, []*ratelimit.Limiter{limiter}, 1)
}
