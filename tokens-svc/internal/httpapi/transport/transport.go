// Package transport speaks HTTP for the endpoints: routes, decoding, encoding,
// and the one table from errors to problems.
//
// Guarantees: a request without an organization is answered 401 before anything
// else is looked at, and one without the permission 403 before its body is
// read; a body or query is understood whole or refused; an answer is encoded
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
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/problem"
	"github.com/quayside/quayside/gateway/servicekit/requestid"
	"github.com/quayside/quayside/tokens-svc/api"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// InternalPath is where Internal's routes lie.
const InternalPath = "/internal/"

// How many bytes bodies may have.
const (
	maxBody  = 64 << 10
	maxUsage = 1 << 20
)

// GatewayService is the domain's operations for gateways.
type GatewayService interface {
	Introspect(ctx context.Context, presented tokens.Secret) (tokens.Introspection, error)
	RecordUsage(ctx context.Context, reports []tokens.Use) error
	Now() time.Time
}

// router holds the routes of a listener while they are put together.
type router struct {
	*http.ServeMux
	config endpoints.Config
	log    *slog.Logger
}

// Public returns the handler for requests that came through the gateway, whose
// headers name the caller.
func Public(s endpoints.Service, c endpoints.Config, log *slog.Logger) http.Handler {
	rt := router{http.NewServeMux(), c, log}
	m := endpoints.Management{Service: s}
	const (
		anyone = endpoints.NeedsAny
		admin  = endpoints.NeedsAdmin
	)
	creation := keyed(decodeCreate(s.Now), func(c *endpoints.Creation, k *endpoints.Key) { c.Key = k })
	rotation := keyed(decodeRotation, func(r *endpoints.Rotation, k *endpoints.Key) { r.Key = k })
	revocation := keyed(decodeRevocation, func(r *endpoints.Revocation, k *endpoints.Key) { r.Key = k })
	public(rt, "GET /api/v1/token", "token", anyone, s, decodeNothing, m.Self, encodeSelf)
	public(rt, "DELETE /api/v1/token", "token_end", anyone, s, decodeEnd, m.Revoke, encodeEnded)
	public(rt, "POST /api/v1/token/rotate", "token_renew", anyone, s, rotation, m.Rotate, encodeRotated)
	public(rt, "GET /api/v1/tokens", "tokens_list", admin, s, decodeList, m.List, encodeList)
	public(rt, "POST /api/v1/tokens", "tokens_create", admin, s, creation, m.Create, encodeMade)
	public(rt, "GET /api/v1/tokens/{id}", "tokens_get", admin, s, decodeID, m.Get, encodeShown)
	public(rt, "PATCH /api/v1/tokens/{id}", "tokens_update", admin, s, decodeUpdate, m.Update, encodeShown)
	public(rt, "POST /api/v1/tokens/{id}/rotate", "tokens_rotate", admin, s, rotation, m.Rotate, encodeRotated)
	public(rt, "POST /api/v1/tokens/{id}/revoke", "tokens_revoke", admin, s, revocation, m.Revoke, encodeRevoked)
	public(rt, "GET /api/v1/audit-events", "audit_events", admin, s, decodeEvents, m.AuditEvents, encodeEvents)

	rt.Handle("GET /api/v1/openapi/tokens.json", api.Handler())
	return rt.wrap()
}

// Internal returns the handler for gateways, which show one of the credentials.
// feed answers those that follow the changes.
func Internal(s GatewayService, feed http.Handler, c endpoints.Config, gateways credential.Set, log *slog.Logger) http.Handler {
	rt := router{http.NewServeMux(), c, log}
	introspect := endpoints.ForGateways(c, "introspect", endpoints.Introspect(s))
	usage := endpoints.ForGateways(c, "usage", func(ctx context.Context, uses []tokens.Use) (struct{}, error) {
		return struct{}{}, s.RecordUsage(ctx, uses)
	})
	rt.Handle("POST /internal/v1/introspect", authorize(gateways, log,
		serve(rt, introspect, maxForm, asGateway(decodeIntrospect), encodeIntrospect(log))))
	rt.Handle("POST /internal/v1/usage", authorize(gateways, log,
		serve(rt, usage, maxUsage, asGateway(decodeUsage), encodeUsage)))
	rt.Handle("GET /internal/v1/changes", authorize(gateways, log, feed))
	return rt.wrap()
}

// public adds a route for tokens: its permission, decoder, method
// and how the answer is shown. It compiles only when these fit.
func public[Req, Res any](
	rt router, pattern, name string, needs endpoints.Need, s endpoints.Admission,
	read func(*http.Request) (Req, error),
	method endpoints.Method[Req, Res],
	show func(*http.Request, Res) reply,
) {
	decode := func(r *http.Request) (endpoints.Request, error) {
		caller, err := callerOf(r)
		return endpoints.Request{Caller: caller, Decode: func() (any, error) { return read(r) }}, err
	}
	rt.Handle(pattern, serve(rt, endpoints.ForTokens(rt.config, s, name, needs, method), maxBody, decode, show))
}

// asGateway decodes a request of a gateway.
func asGateway[Req any](read func(*http.Request) (Req, error)) func(*http.Request) (endpoints.Request, error) {
	return func(r *http.Request) (endpoints.Request, error) {
		return endpoints.Request{Decode: func() (any, error) { return read(r) }}, nil
	}
}

func serve[Res any](
	rt router, e endpoint.Endpoint, most int64,
	decode func(*http.Request) (endpoints.Request, error),
	show func(*http.Request, Res) reply,
) http.Handler {
	return http.MaxBytesHandler(kithttp.NewServer(e,
		func(_ context.Context, r *http.Request) (any, error) { return decode(r) },
		func(ctx context.Context, w http.ResponseWriter, response any) error {
			return show(requestFrom(ctx), response.(Res)).write(w)
		},
		kithttp.ServerBefore(withRequest),
		kithttp.ServerErrorHandler(reporter{rt.log}),
		kithttp.ServerErrorEncoder(encodeError)), most)
}

// wrap adds the middleware that all routes of a listener share.
func (rt router) wrap() http.Handler {
	broken := func(w http.ResponseWriter, r *http.Request) { answer{problem: internalError}.write(w, r) }
	return requestid.Ensure(withoutSecrets(httpserver.AccessLog(rt.log, identityAttrs, broken, problem.Mux(rt.ServeMux))))
}

// identityAttrs are the access log's attributes of the caller.
func identityAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if org := r.Header.Get(assertion.HeaderOrganization); org != "" {
		attrs = append(attrs, slog.String("organization_id", org), slog.String("token_id", r.Header.Get(assertion.HeaderToken)))
	}
	return attrs
}
