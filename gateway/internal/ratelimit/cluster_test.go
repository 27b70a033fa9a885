package ratelimit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// perDay has windows that do not end during a test.
var perDay = ratelimit.Quota{Limit: 100, Window: 24 * time.Hour}

// A master that hangs delays its own windows only, until its circuit breaker opens. It is the one whose clock is read.
func TestAHungMasterDelaysNoOtherWindows(t *testing.T) {
	t.Parallel()

	rawURL, servers := newCluster(t, "cluster-node-timeout 600000") // nothing takes its place
	universal, err := ratelimit.NewClient(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	client := universal.(*redis.ClusterClient)
	t.Cleanup(func() { _ = client.Close() })
	client.Options().ReadTimeout, client.Options().WriteTimeout = time.Minute, time.Minute
	limiter := ratelimit.New(client, deny, time.Now)
	t.Cleanup(limiter.Close)
	ratelimit.SetTimeout(limiter, time.Minute)
	waitForAll(t, limiter, time.Minute)
	master, err := client.MasterForKey(t.Context(), "rate:clock")
	if err != nil {
		t.Fatal(err)
	}
	hung := master.Options().Addr
	for _, server := range servers {
		if server.Addr == hung {
			server.Hang()
		}
	}

	ratelimit.SetTimeout(limiter, 2*time.Second)
	failures := make(chan error)
	go func() {
		for range 3 {
			_, err := limiter.Take(t.Context(), idAt(t, limiter, client, hung, true), perDay)
			failures <- err
		}
	}()
	for failed := 0; failed < 3; {
		select {
		case err := <-failures:
			if failed++; !errors.Is(err, ratelimit.ErrUnavailable) {
				t.Errorf("the hung master: %v", err)
			}
		default:
			if result, err := limiter.Take(t.Context(), idAt(t, limiter, client, hung, false), perDay); err != nil {
				t.Fatalf("another master: %+v, %v", result, err)
			}
		}
	}
	if !ratelimit.CircuitBreakerIsOpen(t, limiter, idAt(t, limiter, client, hung, true), perDay) {
		t.Error("the circuit breaker of the hung master is not open")
	}
	if ratelimit.CircuitBreakerIsOpen(t, limiter, idAt(t, limiter, client, hung, false), perDay) {
		t.Error("the circuit breaker of another master is open")
	}
}

// idAt returns a new id whose window is at the master with that address, or at another one.
func idAt(t *testing.T, limiter *ratelimit.Limiter, client *redis.ClusterClient, address string, there bool) string {
	t.Helper()
	for {
		id := ratelimit.TokenID()
		key := ratelimit.Key(limiter, id, perDay)
		if master, err := client.MasterForKey(t.Context(), key); err != nil {
			t.Fatal(err)
		} else if (master.Options().Addr == address) == there {
			return id
		}
	}
}
