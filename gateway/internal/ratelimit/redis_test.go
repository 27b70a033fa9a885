package ratelimit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestNewClientNeverQuotesThePassword(t *testing.T) {
	t.Parallel()

	for _, url := range []string{
		"http://:hunter2@redis", "redis://:hunter2@redis:%zz", "hunter2",
		"redis://:hunter2@redis/x", "redis://:hunter2@redis?addr=x", "redis://:hunter2@redis?master_name=a&b=c",
	} {
		if _, err := ratelimit.NewClient(url); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("NewClient(%q): %v", url, err)
		}
	}
}

// go-redis's own timeouts are 1.7 to 5 s, and it repeats commands.
func TestNewClientDetectsAnUnreachableRedisAndRepeatsNothing(t *testing.T) {
	t.Parallel()

	client, err := ratelimit.NewClient("redis://192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	got := client.(*redis.Client).Options()
	for name, timeout := range map[string]time.Duration{
		"connecting": got.DialTimeout, "reading": got.ReadTimeout, "writing": got.WriteTimeout,
		"a free connection": got.PoolTimeout,
	} {
		if timeout > 100*time.Millisecond {
			t.Errorf("%s may take %v", name, timeout)
		}
	}
	if got.MaxRetries != 0 || got.DialerRetries != 1 || !got.ContextTimeoutEnabled {
		t.Errorf("%d retries, %d dials, deadlines are kept: %t", got.MaxRetries, got.DialerRetries, got.ContextTimeoutEnabled)
	}
	if got.Protocol != 2 || !got.DisableIdentity || got.MaintNotificationsConfig.Mode != maintnotifications.ModeDisabled {
		t.Errorf("connecting takes further round trips: RESP%d, %+v", got.Protocol, got.MaintNotificationsConfig)
	}
}
