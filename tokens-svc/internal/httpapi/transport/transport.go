// Package transport serves the service's operations over HTTP: each is a go-kit endpoint with a request type and a
// decoder, behind the middleware that all share, and errors become problems by one table.
//
// Guarantees: a request without an organization is answered 401 before anything else is looked at, and one without the
// permission 403 before its body is read; every call survives a panic in the service, and has a time limit; a body or
// query is understood whole or refused; an answer is encoded whole before its status goes out; every error is a
// problem+json with the request's id; an error without a row in the table is a 500 with a fixed text and its cause in
// the log, once; no answer may be stored by a cache; and the text of a token is in no error, no log, and no answer but
// the one that made it.
package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/api"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// How many bytes bodies may have.
const (
	maxBody  = 64 << 10
	maxUsage = 4 << 20
)

// Config has the settings of the endpoints.
type Config struct {
	Timeout time.Duration // of each call of the service, counted from when its request was read
	// Observe is called after each introspection with its result: of few, the outcome or the kind of the error.
	Observe func(result string)
}

// Public returns the handler for requests that came through the gateway, whose headers name the caller.
func Public(s *tokens.Service, c Config, log *slog.Logger) http.Handler {
	e := endpoints{s}
	const admin = tokens.Admin
	mux := problem.NewRoutes()
	for _, route := range []struct {
		pattern  string
		needs    tokens.Permission
		decode   kithttp.DecodeRequestFunc
		endpoint endpoint.Endpoint
	}{
		{"GET /api/v1/token", anyToken, decodeNothing, e.self},
		{"DELETE /api/v1/token", anyToken, decodeNothing, e.end},
		{"POST /api/v1/token/rotate", anyToken, decodeRotate, e.rotate},
		{"GET /api/v1/tokens", tokens.TokensRead, decodeList, e.list},
		{"POST /api/v1/tokens", admin, decodeCreate(s.Now), e.create},
		{"GET /api/v1/tokens/{id}", tokens.TokensRead, decodeNothing, e.get},
		{"PATCH /api/v1/tokens/{id}", admin, decodeUpdate, e.update},
		{"POST /api/v1/tokens/{id}/rotate", admin, decodeRotate, e.rotate},
		{"POST /api/v1/tokens/{id}/revoke", admin, decodeRevoke, e.revoke},
		{"GET /api/v1/audit-events", tokens.AuditRead, decodeAuditEvents, e.auditEvents},
	} {
		mux.Handle(route.pattern, server(log, maxBody, endpoint.Chain(
			authorized(s, c.Timeout, route.needs), decoded(route.decode), limited(c.Timeout))(route.endpoint)))
	}
	mux.Handle("GET /api/v1/openapi/tokens.json", api.Handler())
	return withoutSecrets(servicekit.Logged(log, mux))
}

// Internal returns the handler for gateways, which show one of the credentials. feed answers those that follow the
// changes. critical is the service that introspects tokens.
func Internal(
	s, critical *tokens.Service, feed http.Handler, people Sessions, c Config, gateways credential.Set, log *slog.Logger,
) http.Handler {
	serve := func(most int64, decode kithttp.DecodeRequestFunc, e endpoint.Endpoint) http.Handler {
		return server(log, most, endpoint.Chain(decoded(decode), limited(c.Timeout))(e))
	}
	mux := problem.NewRoutes()
	for pattern, handler := range map[string]http.Handler{
		"POST /internal/v1/introspect":          serve(maxForm, decodeIntrospect, introspect(critical, c.Observe)),
		"POST /internal/v1/sessions/introspect": serve(pages.MaxForm, decodeSession, people.introspect),
		"POST /internal/v1/usage":               serve(maxUsage, decodeUsage, recordUsage(s)),
		"GET /internal/v1/changes":              feed,
	} {
		mux.Handle(pattern, authorize(gateways, log, handler))
	}
	return withoutSecrets(servicekit.Logged(log, mux))
}

type requestKey struct{}

// requestFrom returns the request of a context: go-kit gives its error encoder none.
func requestFrom(ctx context.Context) *http.Request { return ctx.Value(requestKey{}).(*http.Request) }

// server serves an endpoint over HTTP. The endpoint's middleware decodes the request: what must not be read is refused
// before.
func server(log *slog.Logger, most int64, e endpoint.Endpoint) http.Handler {
	return http.MaxBytesHandler(kithttp.NewServer(e,
		func(_ context.Context, r *http.Request) (any, error) { return r, nil },
		func(_ context.Context, w http.ResponseWriter, response any) error { return response.(reply).write(w) },
		kithttp.ServerBefore(func(ctx context.Context, r *http.Request) context.Context {
			return context.WithValue(ctx, requestKey{}, r)
		}),
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			fail(log, w, requestFrom(ctx), err)
		})), most)
}

// reply is an answer that is not a problem.
type reply struct {
	status int
	header http.Header
	body   any // shown as JSON; nil: no body
}

// write sends the reply. An error means that nothing was written yet, so that the error encoder can answer: once the
// header is out, the only thing to fail is the connection, and then no client is left.
func (re reply) write(w http.ResponseWriter) error {
	var body bytes.Buffer
	h := w.Header()
	if re.body != nil {
		enc := json.NewEncoder(&body)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(re.body); err != nil {
			return err
		}
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(body.Len()))
	}
	h.Set("Cache-Control", "no-store")
	maps.Copy(h, re.header)
	w.WriteHeader(re.status)
	_, _ = w.Write(body.Bytes())
	return nil
}

// authorize lets gateways through. Nothing of the request is read before its credential was found good.
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
