package tokengate

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/caddy/pool"
	"github.com/quayside/quayside/gateway/internal/introspect"
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
			Introspection: base,
			Credential:    key.credential,
			Now:           time.Now,
			OnStream:      outages.stream.Note,
		}),
		usage: usage.New(usage.Config{
			Endpoint:   neighbour(base, "usage").String(),
			Credential: key.credential,
			OnBatch: func(outcome usage.Outcome, err error) {
				usageBatchesTotal.WithLabelValues(string(outcome)).Inc()
				outages.usage.Note(err)
			},
		}),
	}, nil
}

// neighbour returns the URL beside the introspection endpoint with that name.
func neighbour(introspection *url.URL, name string) *url.URL {
	return introspection.ResolveReference(&url.URL{Path: name})
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

// limiterOptions reads RedisDown and Replicas.
func (g *Gate) limiterOptions(repl *caddy.Replacer) (ratelimit.Options, error) {
	var problems []error
	options := ratelimit.Options{Down: ratelimit.DownPolicy(repl.ReplaceAll(g.RedisDown, "")), Replicas: 1}
	switch options.Down {
	case "":
		options.Down = ratelimit.DownLocal
	case ratelimit.DownLocal, ratelimit.DownDeny, ratelimit.DownAllow:
	default:
		problems = append(problems, fmt.Errorf("token_gate: redis_down is %q, must be local, deny or allow", options.Down))
	}
	if text := repl.ReplaceAll(g.Replicas, ""); text != "" {
		replicas, err := strconv.Atoi(text)
		if err != nil || replicas < 1 {
			problems = append(problems, fmt.Errorf("token_gate: replicas is %q, must be a whole number from 1", text))
		}
		options.Replicas = replicas
	}
	return options, errors.Join(problems...)
}

// acquire takes the tokens service and the limiter of g's settings.
func (g *Gate) acquire(redisURL string, options ratelimit.Options) error {
	windows := limiterKey{redisURL, options}
	limiter, releaseLimiter, err := limiters.Take(windows, func() (sharedLimiter, error) {
		client, err := ratelimit.NewClient(redisURL)
		if err != nil {
			return sharedLimiter{}, fmt.Errorf("token_gate: REDIS_URL is %w", err)
		}
		return sharedLimiter{ratelimit.New(client, windows.options, time.Now), client}, nil
	})
	if err != nil {
		return err
	}
	g.release = append(g.release, releaseLimiter)
	g.windows = limiter.Limiter

	key := tokensServiceKey{g.Introspection, g.credential}
	shared, releaseService, err := tokensServices.Take(key,
		func() (*tokensService, error) { return newTokensService(key) })
	if err != nil {
		return err
	}
	g.release = append(g.release, releaseService)
	g.tokens, g.usage, g.outages = shared.introspector, shared.usage, shared.outages
	return nil
}
