// Package transport makes the service's methods into go-kit endpoints, all with the same
// middleware, and serves them over HTTP: routes, decoding, encoding, and the one table
// from errors to problems.
//
// Guarantees: a request without an organization is answered 401 before anything
// else is looked at, and one without the permission 403 before its body is
// read; every call survives a panic in the service, and has a time limit; a body or
// query is understood whole or refused; an answer is encoded
// whole before its status goes out; every error is a problem+json with the
// request's id; an error without a row in the table is a 500 with a fixed text
// and its cause in the log, once; no answer may be stored by a cache; and the
// text of a token is in no error, no log, and no answer but the one that made
// it.
package transport

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/tokens-svc/api"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// InternalPath is where Internal's routes lie.
const InternalPath = "/internal/"

// How many bytes bodies may have.
const (
	maxBody  = 64 << 10
	maxUsage = 1 << 20
)

// router holds the routes of a listener while they are put together.
type router struct {
	*problem.Routes
	config Config
	log    *slog.Logger
}

// Public returns the handler for requests that came through the gateway, whose
// headers name the caller. A route is its pattern, the permission that it needs,
// its decoder and its method.
func Public(s *tokens.Service, c Config, log *slog.Logger) http.Handler {
	rt := router{problem.NewRoutes(), c, log}
	m := management{s}
	const admin = tokens.Admin
	public(rt, "GET /api/v1/token", anyToken, s, decodeNothing, m.self)
	public(rt, "DELETE /api/v1/token", anyToken, s, decodeNothing, m.end)
	public(rt, "POST /api/v1/token/rotate", anyToken, s, decodeGrace, m.rotate)
	public(rt, "GET /api/v1/tokens", tokens.TokensRead, s, decodeList, m.list)
	public(rt, "POST /api/v1/tokens", admin, s, decodeDraft(s.Now), m.create)
	public(rt, "GET /api/v1/tokens/{id}", tokens.TokensRead, s, decodeNothing, m.get)
	public(rt, "PATCH /api/v1/tokens/{id}", admin, s, decodePatch, m.update)
	public(rt, "POST /api/v1/tokens/{id}/rotate", admin, s, decodeGrace, m.rotate)
	public(rt, "POST /api/v1/tokens/{id}/revoke", admin, s, decodeRevocation, m.revoke)
	public(rt, "GET /api/v1/audit-events", tokens.AuditRead, s, decodeEvents, m.auditEvents)

	rt.Handle("GET /api/v1/openapi/tokens.json", api.Handler())
	return withoutSecrets(servicekit.Logged(log, rt.Routes))
}

// Internal returns the handler for gateways, which show one of the credentials.
// feed answers those that follow the changes, and sessions those that introspect the session
// of a person. critical is the service that introspects tokens.
func Internal(
	s, critical *tokens.Service, feed, sessions http.Handler, c Config, gateways credential.Set, log *slog.Logger,
) http.Handler {
	rt := router{problem.NewRoutes(), c, log}
	m := gatewayMethods{critical, s, c.Observe}
	for pattern, handler := range map[string]http.Handler{
		"POST /internal/v1/introspect":          rt.serve(forGateways(c, decodeIntrospect, m.introspect), maxForm),
		"POST /internal/v1/sessions/introspect": sessions,
		"POST /internal/v1/usage":               rt.serve(forGateways(c, decodeUsage, m.recordUsage), maxUsage),
		"GET /internal/v1/changes":              feed,
	} {
		rt.Handle(pattern, authorize(gateways, log, handler))
	}
	return withoutSecrets(servicekit.Logged(log, rt.Routes))
}

// public adds a route for tokens. It compiles only when decoder and method fit.
func public[Req any](
	rt router, pattern string, needs tokens.Permission, s *tokens.Service,
	read func(*http.Request) (Req, error), method func(context.Context, call, Req) (reply, error),
) {
	rt.Handle(pattern, rt.serve(forTokens(rt.config, s, needs, read, method), maxBody))
}

type requestKey struct{}

// requestFrom returns the request of a context: go-kit gives its error encoder none.
func requestFrom(ctx context.Context) *http.Request { return ctx.Value(requestKey{}).(*http.Request) }

// serve returns the handler of an endpoint, which decodes the request itself: what
// it must not see is refused before.
func (rt router) serve(e endpoint.Endpoint, most int64) http.Handler {
	return http.MaxBytesHandler(kithttp.NewServer(e,
		func(_ context.Context, r *http.Request) (any, error) { return r, nil },
		func(_ context.Context, w http.ResponseWriter, response any) error { return response.(reply).write(w) },
		kithttp.ServerBefore(func(ctx context.Context, r *http.Request) context.Context {
			return context.WithValue(ctx, requestKey{}, r)
		}),
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			fail(rt.log, w, requestFrom(ctx), err)
		})), most)
}

// authorize lets gateways through. Nothing of the request is read before its
// credential was found good.
func authorize(gateways credential.Set, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !gateways.Accepts(bearer(r.Header)) {
			log.WarnContext(r.Context(), "request without a valid gateway credential",
				"request_id", requestid.Of(r), "remote", r.RemoteAddr)
			fail(log, w, r, errCredential)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// bearer returns the credential of the one Authorization header, or "".
func bearer(h http.Header) string {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	scheme, value, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(value, " ")
}

// withoutSecrets redacts tokens in a request's path, where
// a client used one instead of its id, before the path is logged or repeated.
func withoutSecrets(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := tokens.Scrub(r.URL.Path); path != r.URL.Path {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = path, ""
		}
		next.ServeHTTP(w, r)
	})
}

// Config has the settings of the endpoints.
type Config struct {
	Timeout time.Duration // of each call of the service, counted from when its request was read
	// Observe is called after each introspection with its result: of few, the outcome or the
	// kind of the error.
	Observe func(result string)
}

// forGateways returns the endpoint of a method that gateways call for themselves.
func forGateways[Req any](
	c Config, read func(*http.Request) (Req, error), method func(context.Context, Req) (reply, error),
) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		input, err := read(request.(*http.Request))
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		return method(ctx, input)
	}
}
