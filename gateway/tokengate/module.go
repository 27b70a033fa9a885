// Package tokengate is the Caddy module http.handlers.token_gate, the only way into Quayside.
//
// Its steps and their order are the security of the product, so they are one handler, which no Caddyfile can
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
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/drain"
	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/usage"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

func init() {
	caddy.RegisterModule(new(Gate))
	httpcaddyfile.RegisterHandlerDirective("token_gate", parseGate)
	// Before the first directive of all: no handler may see a request that the gate has not seen.
	httpcaddyfile.RegisterDirectiveOrder("token_gate", httpcaddyfile.Before, "tracing")
}

// Defaults of the settings that have one.
const (
	defaultIntrospection = "http://127.0.0.1:9082/internal/v1/introspect"
	defaultRedis         = "redis://127.0.0.1:6379/0"
)

// Gate admits requests with an active API token, up to the token's limit, and identifies the principal to the
// next handlers. It must come first in its site; in a Caddyfile it does by itself.
//
// It sets the placeholder {http.token_gate.assertion.SERVICE}, the signed assertion of the principal for that service,
// which the handler of the package upstream sends. It writes an access log of its own, under the name of Caddy's,
// http.log.access: no site with a gate needs the directive log.
//
// Placeholders are replaced in all settings; one without a value is an error. Secrets should be one, {env.NAME} or
// {file.PATH}: more people read a configuration than may read a secret.
type Gate struct {
	// Introspection is the URL of the tokens service's RFC 7662 endpoint; changes of tokens are
	// followed at its neighbour "changes", and usage is reported to its neighbour "usage". Default:
	// http://127.0.0.1:9082/internal/v1/introspect
	Introspection string `json:"introspection,omitempty"`
	// Credential authenticates the gateway there; at least 32 bytes.
	Credential string `json:"credential,omitempty"`
	// SigningKey signs the assertions: an Ed25519 key in PEM.
	SigningKey string `json:"signing_key,omitempty"`
	// Redis is the URL of the Redis that counts requests: a server, Sentinels or a cluster. Default:
	// redis://127.0.0.1:6379/0
	Redis string `json:"redis,omitempty"`
	// RedisDown decides requests while Redis is not available: with "local" this gateway allows its share of each
	// window, with "deny" the response is 503, with "allow" every request is allowed. Default: local
	RedisDown string `json:"redis_down,omitempty"`
	// Replicas is the number of gateways by which the limit is divided for a local window. Default: 1
	Replicas string `json:"replicas,omitempty"`
	// CORSOrigins are the origins whose pages may use the API from a browser, or "*". Default: none
	CORSOrigins []string `json:"cors_origins,omitempty"`
	// Issuer is the claim iss of assertions. Default: quayside-gateway
	Issuer string `json:"issuer,omitempty"`
	// Demo, when it is "true", lets a credential and a signing key that begin with "demo-" be used, which are
	// published, or no signing key at all. Default: false
	Demo string `json:"demo,omitempty"`

	open []*openPaths // the routes beside the gate that need no token
	// restyled reports whether handle_errors has handlers beside a gate.
	restyled func() bool
	cors     cors
	tokens   *introspect.Introspector
	usage    *usage.Reporter
	outage   *outage.Journal // of introspection
	windows  *ratelimit.Limiter
	signer   *identity.Signer // nil: the services run in development mode and trust the headers alone
	tracer   trace.Tracer     // nil: tracing is off
	drain    *drain.App       // nil: on no server
	release  []func() error
	logger   *zap.Logger
	access   *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (*Gate) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate", New: func() caddy.Module { return new(Gate) }}
}

// announceDemo logs development mode once, because a configuration is provisioned more than once.
var announceDemo sync.Once

// Provision checks the settings, and takes the Redis pool, the token cache and the usage counts, which a reload keeps.
// It connects to nothing: neither Redis nor the tokens service needs to run when the gateway starts. All faults of the
// settings are reported at once.
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
	g.restyled = func() bool { return false }
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		configureServer(server)
		g.restyled = sync.OnceValue(func() bool { // its routes are provisioned later
			return server.Errors != nil && restyles(server.Errors.Routes)
		})
		if g.drain, err = drain.FromContext(ctx); err != nil {
			return err
		}
	}

	var faults []error
	repl := caddy.NewReplacer()
	read := func(setting, otherwise string) string {
		value, err := repl.ReplaceOrErr(setting, true, true)
		faults = append(faults, err)
		return cmp.Or(strings.TrimSpace(value), otherwise)
	}
	demo := read(g.Demo, "false")
	if demo == "true" {
		announceDemo.Do(func() {
			g.logger.Warn("development mode: accepts the public demo secrets", zap.String("setting", "QUAYSIDE_DEMO"))
		})
	}
	if demo != "true" && demo != "false" {
		faults = append(faults, fmt.Errorf("demo is %q, must be true or false", demo))
	}
	// Without one of the secrets the error names the settings, and development mode needs no key.
	secret := func(setting string) string { return strings.TrimSpace(repl.ReplaceAll(setting, "")) }
	credential := secret(g.Credential)
	faults = append(faults, checkCredential(credential, demo == "true"),
		g.takeTokensService(tokensServiceKey{read(g.Introspection, defaultIntrospection), credential}))
	g.signer, err = newSigner(secret(g.SigningKey), read(g.Issuer, assertion.DefaultIssuer), demo == "true")
	faults = append(faults, err)
	options, err := limiterOptions(read(g.RedisDown, ""), read(g.Replicas, "1"))
	faults = append(faults, err, g.takeLimiter(limiterKey{read(g.Redis, defaultRedis), options}))
	g.cors, err = newCORS(g.CORSOrigins)
	if err := errors.Join(append(faults, err)...); err != nil {
		return fmt.Errorf("token_gate: %w", err)
	}
	return nil
}

// Cleanup releases what Provision took.
func (g *Gate) Cleanup() error {
	var faults []error
	for _, release := range g.release {
		faults = append(faults, release())
	}
	g.release = nil
	if g.signer != nil {
		g.signer.Close()
	}
	return errors.Join(faults...)
}

func parseGate(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	gate := new(Gate)
	return gate, gate.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	token_gate {
//	    introspection   <url>
//	    credential      {env.NAME}|{file.PATH}
//	    signing_key     {env.NAME}|{file.PATH}
//	    redis           {env.NAME}|{file.PATH}
//	    redis_down      local|deny|allow
//	    replicas        <number of gateways>
//	    cors_origins    [<origin...>]
//	    issuer          <issuer>
//	    demo            <true when demo credentials are accepted>
//	}
//
// Each subdirective may be given once.
func (g *Gate) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}

	single := map[string]*string{
		"introspection": &g.Introspection,
		"credential":    &g.Credential,
		"signing_key":   &g.SigningKey,
		"redis":         &g.Redis,
		"redis_down":    &g.RedisDown,
		"replicas":      &g.Replicas,
		"issuer":        &g.Issuer,
		"demo":          &g.Demo,
	}
	for d.NextBlock(0) {
		name := d.Val()
		if name == "cors_origins" {
			g.CORSOrigins = d.RemainingArgs()
			continue
		}
		value, known := single[name]
		if !known || *value != "" {
			return d.Errf("subdirective %s is unknown or given twice", name)
		}
		if !d.Args(value) || d.NextArg() {
			return d.ArgErr()
		}
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner  = (*Gate)(nil)
	_ caddy.CleanerUpper = (*Gate)(nil)
)
