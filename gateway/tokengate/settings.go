package tokengate

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/internal/caddy/pool"
	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

// The errors name the environment variables of the shipped Caddyfile, because those are to be changed.

// minCredentialBytes is the shortest credential that both sides accept.
const minCredentialBytes = 32

// checkCredential reports what is wrong with the gateway's credential.
func checkCredential(credential string, demo bool) error {
	switch {
	case credential == "":
		return errors.New("the gateway's credential is missing: set GATEWAY_CREDENTIAL or GATEWAY_CREDENTIAL_FILE")
	case len(credential) < minCredentialBytes:
		return fmt.Errorf("the gateway's credential must have at least %d bytes", minCredentialBytes)
	case strings.ContainsFunc(credential, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the gateway's credential must be printable ASCII without spaces")
	case strings.HasPrefix(credential, "demo-") && !demo:
		return errors.New("the gateway's credential is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	default:
		return nil
	}
}

// newSigner returns the signer of assertions, which development mode may be without.
func newSigner(text, issuer string, demo bool) (*identity.Signer, error) {
	switch {
	case text == "" && demo:
		return nil, nil
	case text == "":
		return nil, errors.New("the gateway's signing key is missing: set GATEWAY_SIGNING_KEY or " +
			"GATEWAY_SIGNING_KEY_FILE to what `openssl genpkey -algorithm ed25519` writes")
	}
	key, err := identity.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("signing_key: %w", err)
	}
	if identity.Demo(key) && !demo {
		return nil, errors.New("the gateway's signing key is the demo's, which is published: set another one, or " +
			"QUAYSIDE_DEMO=true for development")
	}
	return identity.NewSigner(key, issuer, time.Now)
}

// limiterOptions reads what happens while Redis is away.
func limiterOptions(down, replicas string) (options ratelimit.Options, err error) {
	var faults []error
	switch options.Down = ratelimit.DownPolicy(down); options.Down {
	case "", ratelimit.DownLocal, ratelimit.DownDeny, ratelimit.DownAllow:
	default:
		faults = append(faults, fmt.Errorf("redis_down is %q, must be local, deny or allow", down))
	}
	if options.Replicas, err = strconv.Atoi(replicas); err != nil || options.Replicas < 1 {
		faults = append(faults, fmt.Errorf("replicas is %q, must be a whole number from 1", replicas))
	}
	return options, errors.Join(faults...)
}

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
	reporting := outage.New(gatelog.Slog, "reporting usage")
	return &tokensService{
		outage: outage.New(gatelog.Slog, "tokens service"),
		introspector: introspect.New(introspect.Config{
			Introspection: introspection, Credential: key.credential, Now: time.Now,
			OnStream: outage.New(gatelog.Slog, "stream of changes").Note,
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
