package tokengate

import (
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// What gates share and reloads keep: remembered answers and open connections. Two gates with the same
// settings use the same one.
var (
	introspectors = caddy.NewUsagePool()
	limiters      = caddy.NewUsagePool()
)

// introspectorKey tells introspectors apart.
type introspectorKey struct{ endpoint, credential string }

type sharedIntrospector struct{ *introspect.Introspector }

// Destruct implements caddy.Destructor.
func (s sharedIntrospector) Destruct() error {
	s.Close()
	return nil
}

type sharedLimiter struct {
	*ratelimit.Limiter

	client *redis.Client
}

// Destruct implements caddy.Destructor.
func (s sharedLimiter) Destruct() error {
	return s.client.Close()
}

// acquire takes the introspector and the limiter that fit g's settings.
func (g *Gate) acquire(redisURL string) error {
	limiter, _, err := limiters.LoadOrNew(redisURL, func() (caddy.Destructor, error) {
		client, err := ratelimit.NewClient(redisURL)
		if err != nil {
			return nil, err
		}
		return sharedLimiter{ratelimit.New(client), client}, nil
	})
	if err != nil {
		return err
	}
	g.windows = limiter.(sharedLimiter).Limiter
	g.release = append(g.release, func() error {
		_, err := limiters.Delete(redisURL)
		return err
	})

	key := introspectorKey{g.Introspection, g.credential}
	introspector, _, err := introspectors.LoadOrNew(key, func() (caddy.Destructor, error) {
		return sharedIntrospector{introspect.New(key.endpoint, key.credential, time.Now)}, nil
	})
	if err != nil {
		return err
	}
	g.tokens = introspector.(sharedIntrospector).Introspector
	g.release = append(g.release, func() error {
		_, err := introspectors.Delete(key)
		return err
	})
	return nil
}
