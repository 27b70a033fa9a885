package transport

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// caller is the principal of a request, read once.
type caller struct {
	assertion.Identity
	org shipments.OrgID
	err error // assertion.ErrMissing without an identity
}

type callerKey struct{}

// identified reads the identity of a request once and keeps it in the context.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c caller
		c.Identity, c.err = assertion.FromHeader(r.Header)
		c.org = shipments.OrgID(c.OrganizationID)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

func callerOf(r *http.Request) caller {
	return r.Context().Value(callerKey{}).(caller)
}

// by is the token with which a request is made.
func by(r *http.Request) shipments.TokenID {
	return shipments.TokenID(callerOf(r).Actor())
}

// logAttrs identifies a request and its principal.
func logAttrs(r *http.Request) []slog.Attr {
	attrs := []slog.Attr{slog.String("request_id", requestid.Of(r))}
	if c := callerOf(r); c.err == nil {
		attrs = append(attrs, slog.String("organization_id", c.Organization), slog.String("token_id", c.Token))
	}
	return attrs
}

// endpointRequest returns a request in the form of endpoints.
func endpointRequest(r *http.Request, decode func() (any, error)) (endpoints.Request, error) {
	c := callerOf(r)
	if c.err != nil {
		return endpoints.Request{}, c.err
	}
	return endpoints.Request{Org: c.org, Permissions: c.Permissions, Decode: decode}, nil
}

type requestKey struct{}

// withRequest keeps the request for encoders.
func withRequest(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestFrom(ctx context.Context) *http.Request {
	return ctx.Value(requestKey{}).(*http.Request)
}
