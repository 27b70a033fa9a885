package tokengate

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/caddy/pool"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/outage"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
)

// Caches, usage counts and connections are shared by gates with the same settings and kept by reloads.
var (
	tokensServices = pool.New[tokensServiceKey, *tokensService]()
	limiters       = pool.New[limiterKey, sharedLimiter]()
)

// tokensServiceKey identifies a tokens service.
type tokensServiceKey struct{ introspection, credential string }

// tokensService holds the clients of a tokens service.
type tokensService struct {
	introspector *introspect.Introspector
	usage        *usage.Reporter
	outage       *outage.Journal // of introspection
}

// newTokensService connects to nothing yet.
func newTokensService(key tokensServiceKey) (*tokensService, error) {
	introspection, err := url.Parse(key.introspection)
	if err != nil || introspection.Scheme != "http" && introspection.Scheme != "https" || introspection.Host == "" ||
		introspection.User != nil {
		return nil, errors.New("introspection must be an http or https URL without user information")
	}
	reporting := outage.New("reporting usage")
	return &tokensService{
		outage: outage.New("tokens service"),
		introspector: introspect.New(introspect.Config{
			Introspection: introspection, Credential: key.credential, Now: time.Now,
			OnStream: outage.New("stream of changes").Note,
		}),
		usage: usage.New(usage.Config{
			Endpoint:   introspection.ResolveReference(&url.URL{Path: "usage"}).String(),
			Credential: key.credential,
			OnBatch: func(outcome usage.Outcome, err error) {
				usageBatchesTotal.WithLabelValues(string(outcome)).Inc()
				reporting.Note(err)
			},
		}),
	}, nil
}

// Destruct implements caddy.Destructor.
func (s *tokensService) Destruct() error {
	s.usage.Close()
	s.introspector.Close()
	return nil
}

// takeTokensService takes the clients of a tokens service.
func (g *Gate) takeTokensService(key tokensServiceKey) error {
	shared, release, err := tokensServices.Take(key, func() (*tokensService, error) { return newTokensService(key) })
	if err != nil {
		return err
	}
	g.release = append(g.release, release)
	g.tokens, g.usage, g.outage = shared.introspector, shared.usage, shared.outage
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

// takeLimiter takes a limiter.
func (g *Gate) takeLimiter(key limiterKey) error {
	limiter, release, err := limiters.Take(key, func() (sharedLimiter, error) {
		client, err := ratelimit.NewClient(key.redisURL)
		if err != nil {
			return sharedLimiter{}, fmt.Errorf("REDIS_URL is %w", err)
		}
		return sharedLimiter{ratelimit.New(client, key.options, time.Now), client}, nil
	})
	if err != nil {
		return err
	}
	g.release = append(g.release, release)
	g.windows = limiter.Limiter
	return nil
}
