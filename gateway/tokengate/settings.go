package tokengate

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/internal/caddy/pool"
	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

// takeShared reads the settings that may have placeholders, and takes or makes what they name.
func (g *Gate) takeShared() error {
	var faults []error
	repl := caddy.NewReplacer()
	read := func(name, setting string) string {
		value, err := repl.ReplaceOrErr(setting, true, true)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		return strings.TrimSpace(value)
	}
	service := Gate{
		Introspection: read("introspection", g.Introspection), Extended: g.Extended, ClientID: read("client", g.ClientID),
		Credential: read("credential", g.Credential), Timeout: g.Timeout, Tokens: g.Tokens,
		Organizations: g.Organizations, Limit: g.Limit, SessionCookies: g.SessionCookies,
	}
	faults = append(faults, g.takeTokensService(service),
		g.takeLimiter(limiterKey{read("redis", g.Redis), ratelimit.Options{Down: g.RedisDown, Replicas: g.Replicas}}))
	var err error
	if key := strings.TrimSpace(repl.ReplaceAll(g.SigningKey, "")); key != "" {
		g.signer, err = newSigner(key, read("issuer", g.Issuer))
		faults = append(faults, err)
	}
	if g.Pages != "" {
		g.pages, err = pages.New(embed.FS{}, g.Pages, nil)
		faults = append(faults, err)
	}
	g.cors = g.CORSOrigins
	return errors.Join(faults...)
}

func newSigner(text, issuer string) (*identity.Signer, error) {
	key, err := identity.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("signing_key: %w", err)
	}
	return identity.NewSigner(key, issuer, time.Now)
}

// Caches, usage counts and connections are shared by gates with the same settings and kept by reloads.
var (
	tokensServices = pool.New[string, *tokensService]()
	limiters       = pool.New[limiterKey, *ratelimit.Limiter]()
)

// tokensService holds the clients of a tokens service.
type tokensService struct {
	introspector *introspect.Introspector
	usage        *usage.Reporter // nil: it is not reported
	outage       *outage.Journal // of introspection
}

// newTokensService connects to nothing yet.
func newTokensService(of Gate) (*tokensService, error) {
	introspection, err := url.Parse(of.Introspection)
	if err != nil || introspection.Scheme != "http" && introspection.Scheme != "https" || introspection.Host == "" ||
		introspection.User != nil {
		return nil, errors.New("introspection must be an http or https URL without user information")
	}
	results := introspect.Results{Limit: of.Limit.Requests, Window: time.Duration(of.Limit.Window)}
	if !of.Extended {
		results.Issuer = of.Introspection
	}
	if of.Organizations != "" {
		if results.Organization, err = regexp.Compile(of.Organizations); err != nil {
			return nil, err
		}
	}
	service := &tokensService{
		outage: outage.New(gatelog.Slog, "tokens service"),
		introspector: introspect.New(introspect.Config{
			Introspection: introspection, Extended: of.Extended, ClientID: of.ClientID, Credential: of.Credential,
			Format: of.Tokens, Results: results, SessionCookies: of.SessionCookies,
			Timeout: time.Duration(of.Timeout), Now: time.Now,
			OnStream: outage.New(gatelog.Slog, "stream of changes").Note,
		}),
	}
	if of.Extended {
		reporting := outage.New(gatelog.Slog, "reporting usage")
		service.usage = usage.New(usage.Config{
			Endpoint:   introspection.ResolveReference(&url.URL{Path: "usage"}).String(),
			Credential: of.Credential,
			OnBatch: func(outcome usage.Outcome, err error) {
				usageBatchesTotal.WithLabelValues(string(outcome)).Inc()
				reporting.Note(err)
			},
		})
	}
	return service, nil
}

// Close sends the usage that is not reported yet, and ends what runs for the service.
func (s *tokensService) Close() {
	if s.usage != nil {
		s.usage.Close()
	}
	s.introspector.Close()
}

// takeTokensService takes the clients of a tokens service.
func (g *Gate) takeTokensService(of Gate) error {
	key, err := json.Marshal(of)
	if err != nil {
		return err
	}
	shared, release, err := tokensServices.Take(string(key), func() (*tokensService, error) {
		return newTokensService(of)
	})
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

// takeLimiter takes a limiter.
func (g *Gate) takeLimiter(key limiterKey) error {
	limiter, release, err := limiters.Take(key, func() (*ratelimit.Limiter, error) {
		if key.redisURL == "" {
			return ratelimit.New(nil, key.options, time.Now), nil
		}
		client, err := ratelimit.NewClient(key.redisURL)
		if err != nil {
			return nil, fmt.Errorf("redis is %w", err)
		}
		return ratelimit.New(client, key.options, time.Now), nil
	})
	if err != nil {
		return err
	}
	g.release = append(g.release, release)
	g.windows = limiter
	return nil
}
