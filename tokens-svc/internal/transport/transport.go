// Package transport speaks HTTP for the endpoints: routes, decoding, encoding,
// and the one table from errors to problems.
//
// Guarantees: an answer is encoded whole before its status goes out; every
// error is a problem+json with the request's id; an error without a row in the
// table is a 500 with a fixed text and its cause in the log, once; no answer
// may be stored by a cache; and the text of a token is in no error and no log.
package transport

import (
	"log/slog"
	"net/http"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/tokens-svc/internal/credential"
	"github.com/quayside/quayside/tokens-svc/internal/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/identity"
	"github.com/quayside/quayside/tokens-svc/internal/problem"
	"github.com/quayside/quayside/tokens-svc/internal/server"
)

// InternalPath is where Internal's routes lie.
const InternalPath = "/internal/"

// Public returns the handler for requests that came through the gateway, which
// says in headers who is asking.
func Public(set endpoints.Set, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /api/v1/token", serve(set.Token, decodeToken, encodeToken, log))
	return wrap(mux, log)
}

// Internal returns the handler for gateways, which show one of the credentials.
func Internal(set endpoints.Set, gateways credential.Set, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /internal/v1/introspect", authorize(gateways, log,
		serve(set.Introspect, decodeIntrospect, encodeIntrospect(log), log)))
	return wrap(mux, log)
}

func serve(e endpoint.Endpoint, dec kithttp.DecodeRequestFunc, enc kithttp.EncodeResponseFunc, log *slog.Logger) http.Handler {
	return kithttp.NewServer(e, dec, enc,
		kithttp.ServerBefore(withRequest),
		kithttp.ServerErrorHandler(reporter{log}),
		kithttp.ServerErrorEncoder(encodeError))
}

// wrap is what all routes of a listener have in common.
func wrap(mux *http.ServeMux, log *slog.Logger) http.Handler {
	broken := func(w http.ResponseWriter, r *http.Request) { answer{problem: internalError}.write(w, r) }
	return withRequestID(server.AccessLog(log, identityAttrs, broken, problem.Mux(mux, requestID)))
}

// identityAttrs are what the access log tells of who asked.
func identityAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestID(r))}
	if org := r.Header.Get(identity.HeaderOrganization); org != "" {
		attrs = append(attrs, slog.String("organization_id", org), slog.String("token_id", r.Header.Get(identity.HeaderToken)))
	}
	return attrs
}
