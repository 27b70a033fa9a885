package devstack

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Not parallel: it changes where Postgres is looked for.
func TestAMachineWithoutServersAndNpmHearsBothWaysOutAtOnce(t *testing.T) {
	saved := places
	places = nil
	t.Cleanup(func() { places = saved })
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	err := checkServers(io.Discard, "", "", "")
	for _, way := range []string{"npm", "docker compose up", "DATABASE_URL", "Redis"} {
		if err == nil || !strings.Contains(err.Error(), way) {
			t.Errorf("%v does not name %s", err, way)
		}
	}
	var log strings.Builder
	if err := checkServers(&log, "", "postgres://elsewhere", ""); err != nil || strings.Count(log.String(), "\n") != 1 ||
		!strings.HasPrefix(log.String(), "embedded  Redis, ") {
		t.Errorf("with DATABASE_URL: %v, %q", err, log.String())
	}
}

func TestTheEmbeddedRedisExpiresItsKeys(t *testing.T) {
	t.Parallel()
	address, err := freeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop, err := embedRedis(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := pingRedis(t.Context(), address); err != nil {
		t.Error(err)
	}
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	if err := client.Set(t.Context(), "window", 1, 500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for client.Exists(t.Context(), "window").Val() == 1 {
		<-tick.C
	}
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(stop(), stop()); err != nil {
		t.Error(err)
	}
	if pingRedis(t.Context(), address) == nil {
		t.Error("it answers after it was stopped")
	}
}
