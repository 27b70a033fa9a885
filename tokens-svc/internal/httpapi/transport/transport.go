// Package transport serves the service's operations over HTTP: each is a go-kit endpoint with a request type and a
// decoder, behind the admission and the time limit that all share, and errors become problems by one table.
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
	rt, e := router{problem.NewRoutes(), c.Timeout, log}, endpoints{s}
	needs := func(p tokens.Permission) admission { return holders(s, c.Timeout, p) }
	anyone, readers, admins := needs(anyToken), needs(tokens.TokensRead), needs(tokens.Admin)
	handle(rt, "GET /api/v1/token", maxBody, anyone, decodeNothing, e.self)
	handle(rt, "DELETE /api/v1/token", maxBody, anyone, decodeNothing, e.end)
	handle(rt, "POST /api/v1/token/rotate", maxBody, anyone, decodeRotate, e.rotate)
	handle(rt, "GET /api/v1/tokens", maxBody, readers, decodeList, e.list)
	handle(rt, "POST /api/v1/tokens", maxBody, admins, decodeCreate(s.Now), e.create)
	handle(rt, "GET /api/v1/tokens/{id}", maxBody, readers, decodeNothing, e.get)
	handle(rt, "PATCH /api/v1/tokens/{id}", maxBody, admins, decodeUpdate, e.update)
	handle(rt, "POST /api/v1/tokens/{id}/rotate", maxBody, admins, decodeRotate, e.rotate)
	handle(rt, "POST /api/v1/tokens/{id}/revoke", maxBody, admins, decodeRevoke, e.revoke)
	handle(rt, "GET /api/v1/audit-events", maxBody, needs(tokens.AuditRead), decodeAuditEvents, e.auditEvents)
	rt.Handle("GET /api/v1/openapi/tokens.json", api.Handler())
	return withoutSecrets(servicekit.Logged(log, rt))
}

// Internal returns the handler for gateways, which show one of the credentials. feed answers those that follow the
// changes. critical is the service that introspects tokens.
func Internal(
	s, critical *tokens.Service, feed http.Handler, people Sessions, c Config, gateways credential.Set, log *slog.Logger,
) http.Handler {
	rt := router{problem.NewRoutes(), c.Timeout, log}
	known := func(_ context.Context, c *call) error { return authorizeGateway(gateways, log, c.request) }
	handle(rt, "POST /internal/v1/introspect", maxForm, known, decodeIntrospect, introspect(critical, c.Observe))
	handle(rt, "POST /internal/v1/sessions/introspect", pages.MaxForm, known, decodeSession, people.introspect)
	handle(rt, "POST /internal/v1/usage", maxUsage, known, decodeUsage, recordUsage(s))
	rt.HandleFunc("GET /internal/v1/changes", func(w http.ResponseWriter, r *http.Request) {
		if err := authorizeGateway(gateways, log, r); err != nil {
			fail(log, w, r, err)
			return
		}
		feed.ServeHTTP(w, r)
	})
	return withoutSecrets(servicekit.Logged(log, rt))
}

// router holds the routes while they are put together.
type router struct {
	*problem.Routes
	timeout time.Duration
	log     *slog.Logger
}

// handle adds a route, of requests of at most so many bytes: decode and do must fit together to compile. The time of a
// slow client does not count against that of do.
func handle[Req any](
	rt router, pattern string, most int64, admit admission, decode func(*http.Request) (Req, error),
	do func(context.Context, *call, Req) (reply, error),
) {
	rt.Handle(pattern, http.MaxBytesHandler(kithttp.NewServer(
		func(ctx context.Context, request any) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, rt.timeout)
			defer cancel()
			return do(ctx, callFrom(ctx), request.(Req))
		},
		func(ctx context.Context, r *http.Request) (any, error) {
			if err := admit(ctx, callFrom(ctx)); err != nil {
				return nil, err
			}
			return decode(r)
		},
		func(_ context.Context, w http.ResponseWriter, response any) error { return response.(reply).write(w) },
		kithttp.ServerBefore(func(ctx context.Context, r *http.Request) context.Context {
			return context.WithValue(ctx, callKey{}, &call{request: r})
		}),
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			fail(rt.log, w, callFrom(ctx).request, err)
		})), most))
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

// authorizeGateway gives errCredential unless a request has a good credential, before anything else of it is read.
func authorizeGateway(gateways credential.Set, log *slog.Logger, r *http.Request) error {
	if gateways.Accepts(bearer(r.Header)) {
		return nil
	}
	log.WarnContext(r.Context(), "request without a valid gateway credential",
		"request_id", requestid.Of(r), "remote", r.RemoteAddr)
	return errCredential
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
