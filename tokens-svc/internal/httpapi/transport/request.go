package transport

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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

type requestKey struct{}

// withRequest carries the request to go-kit's error encoder, which is given
// none, for the problem's instance and request_id.
func withRequest(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestFrom(ctx context.Context) *http.Request {
	r, _ := ctx.Value(requestKey{}).(*http.Request)
	return r
}
