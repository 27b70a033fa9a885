package tokengate

import (
	"errors"
	"net/url"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
)

// Caches, usage counts and connections are shared by gates with the same settings and kept by reloads.
var (
	tokensServices = caddy.NewUsagePool()
	limiters       = caddy.NewUsagePool()
)

// tokensServiceKey identifies a tokens service.
type tokensServiceKey struct{ introspection, credential string }

// tokensService holds the clients of a tokens service.
type tokensService struct {
	introspector *introspect.Introspector
	usage        *usage.Reporter
	reserved     reservations // of introspections, by address
	outages      tokensOutages
}

// newTokensService connects to nothing yet.
func newTokensService(key tokensServiceKey) (*tokensService, error) {
	base, err := url.Parse(key.introspection)
	if err != nil {
		return nil, errors.New("introspection is not a URL")
	}
	outages := newTokensOutages()
	return &tokensService{
		outages: outages,
		introspector: introspect.New(introspect.Config{
			Introspection: key.introspection,
			Changes:       neighbour(base, "changes"),
			Credential:    key.credential,
			Now:           time.Now,
			OnStream:      outages.stream.Record,
		}),
		usage: usage.New(usage.Config{
			Endpoint:   neighbour(base, "usage"),
			Credential: key.credential,
			OnBatch: func(outcome usage.Outcome, err error) {
				usageBatchesTotal.WithLabelValues(string(outcome)).Inc()
				outages.usage.Record(err)
			},
			OnLost: func(requests int64) { usageLostRequestsTotal.Add(float64(requests)) },
		}),
	}, nil
}

// neighbour returns the URL beside the introspection endpoint with that name.
func neighbour(introspection *url.URL, name string) string {
	return introspection.ResolveReference(&url.URL{Path: name}).String()
}

// Destruct implements caddy.Destructor.
func (s *tokensService) Destruct() error {
	s.usage.Close()
	s.introspector.Close()
	return nil
}

// limiterKey identifies a limiter.
type limiterKey struct {
	redisURL string
	options  ratelimit.Options
}

type sharedLimiter struct {
	*ratelimit.Limiter

	client redis.UniversalClient
}

// Destruct implements caddy.Destructor.
func (s sharedLimiter) Destruct() error {
	s.Close()
	return s.client.Close()
}

// acquire takes the tokens service and the limiter of g's settings.
func (g *Gate) acquire(redisURL string) error {
	windows := limiterKey{redisURL, g.enforced.options}
	limiter, _, err := limiters.LoadOrNew(windows, func() (caddy.Destructor, error) {
		client, err := ratelimit.NewClient(redisURL)
		if err != nil {
			return nil, err
		}
		limiter := ratelimit.New(client, windows.options)
		if windows.options.Down == ratelimit.DownLocal {
			limiter.RegisterReplica()
		}
		return sharedLimiter{limiter, client}, nil
	})
	if err != nil {
		return err
	}
	g.windows = limiter.(sharedLimiter).Limiter
	g.windows.SetLogger(g.logger)
	g.release = append(g.release, func() error {
		_, err := limiters.Delete(windows)
		return err
	})

	key := tokensServiceKey{g.Introspection, g.credential}
	service, _, err := tokensServices.LoadOrNew(key, func() (caddy.Destructor, error) { return newTokensService(key) })
	if err != nil {
		return err
	}
	shared := service.(*tokensService)
	g.tokens, g.usage, g.reserved, g.outages = shared.introspector, shared.usage, &shared.reserved, shared.outages
	g.release = append(g.release, func() error {
		_, err := tokensServices.Delete(key)
		return err
	})
	return nil
}
