// Package tokengate is the Caddy module http.handlers.token_gate: bearer tokens by introspection (RFC 7662), counted
// exactly.
//
// Its steps and their order are the security of a site, so they are one handler, which no Caddyfile can
// reorder: strip reserved headers, read the token, check its form, check the address's window, introspect the
// token, check the address against the token's list, count against the token's window, identify the principal to
// the services, and complete the headers of the response. The package guarantees that
//
//   - no request reaches the next handler without an active token, except on the paths configured as
//     public or as pages, and with a person's session on those of sessions, and none carries identity headers that
//     the gate did not write itself;
//   - cookies pass on the paths of pages only, but for those of views (view-…) on those of sessions, and an
//     Authorization header nowhere;
//   - every response, its own or the next handler's, carries the window headers once each and a request id;
//   - a fault of the tokens service, or of Redis where redis_down is deny, is 503, and never 401 or 200;
//   - no token and no credential is written to a log, a metric or an error.
package tokengate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/drain"
	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

func init() {
	caddy.RegisterModule(new(Gate))
	httpcaddyfile.RegisterHandlerDirective("token_gate", parseGate)
	// Before the first directive of all: no handler may see a request that the gate has not seen.
	httpcaddyfile.RegisterDirectiveOrder("token_gate", httpcaddyfile.Before, "tracing")
}

// Gate admits requests with an active API token, up to the token's limit, and identifies the principal to the
// next handlers. It must come first in its site; in a Caddyfile it does by itself.
//
// It sets these placeholders, those of the window being of the one with the least left:
//
//	{http.auth.user.id}                      the claim sub of the token, or the person
//	{http.token_gate.scope}                  what the token, or the role of the person, permits
//	{http.token_gate.organization}           the member organization_id of the introspection
//	{http.token_gate.limit}                  requests in the window
//	{http.token_gate.remaining}              those that are left
//	{http.token_gate.reset}                  seconds until the window ends
//	{http.token_gate.assertion.SERVICE}      the signed assertion of the principal for that service
//
// It writes an access log of its own, under the name of Caddy's, http.log.access: no site with a gate needs the
// directive log. Each refusal emits an event, token_gate_CODE, such as token_gate_rate_limited, with the data code,
// status, client and subject.
//
// Placeholders are replaced in URLs and secrets; one without a value is an error, but of the signing key: then there
// are no assertions. Secrets should be one, {env.NAME} or {file.PATH}: more people read a configuration than may read a
// secret.
type Gate struct {
	// Introspection is the URL of an introspection endpoint (RFC 7662).
	Introspection string `json:"introspection,omitempty"`
	// Extended says that the endpoint has neighbours: changes of tokens are followed at "changes", usage is reported to
	// "usage", and sessions are introspected at "sessions/introspect". Without it a revoked token works for up to 10 s.
	Extended bool `json:"extended,omitempty"`
	// ClientID and Credential authenticate the gateway there by client_secret_basic. Without a ClientID the credential
	// is a bearer token.
	ClientID   string `json:"client_id,omitempty"`
	Credential string `json:"credential,omitempty"`
	// Timeout bounds an introspection. Default: 250ms
	Timeout caddy.Duration `json:"timeout,omitempty"`
	// Tokens is what tokens look like: others are refused without an introspection.
	Tokens bearer.Format `json:"tokens,omitzero"`
	// Organizations is a regular expression: the form of the organization that every token belongs to. Default: tokens
	// need none
	Organizations string `json:"organizations,omitempty"`
	// Limit is the window of a token whose introspection has none: 100 a minute by default. Default of its key: the
	// claim sub, or a token's "lineage", with the claim iss or Introspection unless Extended
	Limit Zone `json:"limit,omitzero"`
	// Zones are further windows that requests with a token are counted in, in this order, after Limit.
	Zones []Zone `json:"zones,omitempty"`
	// Redis is the URL of the Redis that counts requests: a server, Sentinels or a cluster. Default: each gateway counts
	// by itself, in memory
	Redis string `json:"redis,omitempty"`
	// RedisDown decides requests while Redis is not available: with "local" this gateway allows its share of each
	// window, with "deny" the response is 503, with "allow" every request is allowed. Default: local
	RedisDown ratelimit.DownPolicy `json:"redis_down,omitempty"`
	// Replicas is the number of gateways by which the limit is divided for a local window. Default: 1
	Replicas int `json:"replicas,omitempty"`
	// SigningKey signs the assertions: an Ed25519 key in PEM. Default: there are none
	SigningKey string `json:"signing_key,omitempty"`
	// Issuer is the claim iss of assertions.
	Issuer string `json:"issuer,omitempty"`
	// CORSOrigins are the origins whose pages may use the API from a browser, or "*". Default: none
	CORSOrigins []string `json:"cors_origins,omitempty"`
	// Realm is that of the header WWW-Authenticate (RFC 6750, section 3). Default: none
	Realm string `json:"realm,omitempty"`
	// SessionCookies are the names of the cookies that have a person's session, and SignIn is the path of the page that
	// makes one: what routes with sessions need.
	SessionCookies []string `json:"session_cookies,omitempty"`
	SignIn         string   `json:"sign_in,omitempty"`
	// Pages is the path below which the style sheet of error pages for browsers is. Default: errors are JSON for them, too
	Pages string `json:"pages,omitempty"`

	open []*openPaths // the routes beside the gate that need no token
	// restyled reports whether handle_errors has handlers beside a gate.
	restyled func() bool
	cors     cors
	tokens   *introspect.Introspector
	usage    *usage.Reporter // nil: it is not reported
	outage   *outage.Journal // of introspection
	windows  *ratelimit.Limiter
	signer   *identity.Signer // nil: there are no assertions
	pages    *pages.Set       // nil: there are none
	tracer   trace.Tracer     // nil: tracing is off
	drain    *drain.App       // nil: on no server
	emit     func(event string, data map[string]any)
	release  []func()
	logger   *zap.Logger
	access   *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*Gate) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate", New: func() caddy.Module { return new(Gate) }}
}

// Provision takes the Redis pool, the token cache and the usage counts, which a reload keeps. It connects to nothing:
// neither Redis nor the introspection endpoint needs to run when the gateway starts. All faults of the settings are
// reported at once.
func (g *Gate) Provision(ctx caddy.Context) error {
	g.logger, g.access = ctx.Logger(), ctx.Logger(accessLog{})
	g.readRoutes(ctx)
	if err := metrics.Register(ctx.GetMetricsRegistry(), collectors...); err != nil {
		return err
	}
	spans, err := traces()
	if err != nil {
		return fmt.Errorf("token_gate: %w", err)
	}
	g.tracer = spans.Tracer()
	g.restyled, g.emit = func() bool { return false }, func(string, map[string]any) {}
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		configureServer(server)
		g.restyled = sync.OnceValue(func() bool { // its routes are provisioned later
			return server.Errors != nil && restyles(server.Errors.Routes)
		})
		if g.drain, err = drain.FromContext(ctx); err != nil {
			return err
		}
		events, err := ctx.App("events")
		if err != nil {
			return err
		}
		g.emit = func(event string, data map[string]any) { events.(*caddyevents.App).Emit(ctx, event, data) }
	}
	if err := errors.Join(g.Validate(), g.takeShared()); err != nil {
		return fmt.Errorf("token_gate: %w", err)
	}
	return nil
}

// Bounds of HTTP/2 that Caddy has no settings for. Others are net/http2's own: it closes connections that flood
// with resets, pings, settings or continuations, and timeouts apply to streams as to requests.
const (
	maxStreams = 100
	// A connection without traffic for silence gets a PING, and is closed without a reply within pong. Half of a
	// request, or of a frame, is no reply.
	silence = 10 * time.Second
	pong    = 10 * time.Second
)

// configureServer sets what Caddy has no settings for on the server that the gate is on: the bounds of HTTP/2, and that
// OPTIONS * is a request like every other, which net/http would answer by itself. The server is known only when it has
// a connection; the first one to be accepted configures it before it is served.
func configureServer(caddyServer *caddyhttp.Server) {
	var once sync.Once
	caddyServer.RegisterConnContext(func(ctx context.Context, _ net.Conn) context.Context {
		once.Do(func() {
			if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
				server.DisableGeneralOptionsHandler = true
				server.HTTP2 = &http.HTTP2Config{
					MaxConcurrentStreams: maxStreams, SendPingTimeout: silence, PingTimeout: pong, WriteByteTimeout: pong,
				}
			}
		})
		return ctx
	})
}

// Validate implements caddy.Validator. It checks what needs no placeholder.
func (g *Gate) Validate() error {
	faults := []error{g.Tokens.Validate()}
	for _, zone := range append([]Zone{g.Limit}, g.Zones...) {
		faults = append(faults, zone.validate())
	}
	switch g.RedisDown {
	case "", ratelimit.DownLocal, ratelimit.DownDeny, ratelimit.DownAllow:
	default:
		faults = append(faults, fmt.Errorf("redis_down is %q, must be local, deny or allow", g.RedisDown))
	}
	if g.Replicas < 0 {
		faults = append(faults, fmt.Errorf("replicas is %d, must be a whole number from 1", g.Replicas))
	}
	if g.Extended && g.Tokens.IDLength == 0 {
		faults = append(faults, errors.New("extended needs ids in tokens"))
	}
	session := slices.ContainsFunc(g.open, func(open *openPaths) bool { return openKinds[open.Kind] == sessionRoute })
	if session && (!g.Extended || g.SignIn == "" || len(g.SessionCookies) == 0) {
		faults = append(faults, errors.New("routes with sessions need extended, session_cookies and sign_in"))
	}
	_, organizations := regexp.Compile(g.Organizations)
	_, origins := newCORS(g.CORSOrigins)
	return errors.Join(append(faults, organizations, origins)...)
}

// Cleanup releases what Provision took.
func (g *Gate) Cleanup() error {
	for _, release := range g.release {
		release()
	}
	g.release = nil
	if g.signer != nil {
		g.signer.Close()
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner  = (*Gate)(nil)
	_ caddy.Validator    = (*Gate)(nil)
	_ caddy.CleanerUpper = (*Gate)(nil)
)
