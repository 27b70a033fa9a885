package transport

import (
	"errors"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/idempotency"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// keyed decodes a request and passes its Idempotency-Key on with set. The fingerprint
// is that of the body, byte for byte.
func keyed[Req any](decode func(*http.Request) (Req, error), set func(*Req, *endpoints.Key)) func(*http.Request) (Req, error) {
	return func(r *http.Request) (Req, error) {
		var request Req
		key, err := idempotency.Key(r)
		if err != nil || key == "" {
			if err == nil {
				request, err = decode(r)
			}
			return request, err
		}
		body := idempotency.HashBody(r)
		if request, err = decode(r); err != nil {
			return request, err
		}
		set(&request, &endpoints.Key{Operation: r.Method + " " + r.URL.EscapedPath(), Text: key, Fingerprint: body.Fingerprint()})
		return request, nil
	}
}

// repeated matches a repeated request whose answer had a secret.
func repeated(err error) (explanation, bool) {
	e, ok := errors.AsType[*tokens.RepeatedError](err)
	if !ok {
		return explanation{}, false
	}
	return explanation{
		detail: "this request was done before and made token " + string(e.Token) +
			"; a secret is shown once and not stored. If it was lost, revoke that token and make another with a new Idempotency-Key",
		extra: map[string]any{"token": e.Token},
	}, true
}
