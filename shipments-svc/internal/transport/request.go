package transport

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/quayside/quayside/shipments-svc/internal/endpoints"
	"github.com/quayside/quayside/shipments-svc/internal/identity"
	"github.com/quayside/quayside/shipments-svc/internal/ids"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// identified gives a request that did not come through the gateway, or came
// with a malformed id, an id of its own.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := ids.Parse("req", requestID(r)); !ok {
			r.Header.Set(identity.HeaderRequest, ids.New("req"))
		}
		next.ServeHTTP(w, r)
	})
}

func requestID(r *http.Request) string {
	return r.Header.Get(identity.HeaderRequest)
}

// logAttrs says who sent a request.
func logAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestID(r))}
	if caller, err := identity.FromHeader(r.Header, ids.Parse); err == nil {
		attrs = append(attrs, slog.String("organization_id", caller.Organization), slog.String("token_id", caller.Token))
	}
	return attrs
}

// asked is the endpoints' form of a request.
func asked(r *http.Request, decode func() (any, error)) (endpoints.Request, error) {
	caller, err := identity.FromHeader(r.Header, ids.Parse)
	if err != nil {
		return endpoints.Request{}, err
	}
	org, ok := ids.Parse("org", caller.Organization)
	if !ok {
		return endpoints.Request{}, identity.ErrMissing
	}
	return endpoints.Request{Org: shipments.OrgID(org), Permissions: caller.Permissions, Decode: decode}, nil
}

type requestKey struct{}

// withRequest keeps the request for those who answer it.
func withRequest(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestFrom(ctx context.Context) *http.Request {
	return ctx.Value(requestKey{}).(*http.Request)
}
