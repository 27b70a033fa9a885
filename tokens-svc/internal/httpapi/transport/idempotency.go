package transport

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// readInput decodes a request, the token in its path and, of a POST, the
// Idempotency-Key. The fingerprint is that of the body, byte for byte.
func readInput[Req any](r *http.Request, read func(*http.Request) (Req, error)) (in endpoints.Input, err error) {
	key := ""
	if r.Method == http.MethodPost {
		if key, err = idempotency.Key(r); err != nil {
			return in, err
		}
	}
	if in.Target, err = pathID(r); err != nil {
		return in, err
	}
	if key == "" {
		in.Value, err = read(r)
		return in, err
	}
	body := idempotency.HashBody(r)
	if in.Value, err = read(r); err == nil {
		in.Key = &endpoints.Key{Operation: r.Method + " " + r.URL.EscapedPath(), Text: key, Fingerprint: body.Fingerprint()}
	}
	return in, err
}

// repeated explains a repeated request whose answer had a secret.
func repeated(e *tokens.RepeatedError) explanation {
	return explanation{
		detail: "this request was done before and made token " + string(e.Token) +
			"; a secret is shown once and not stored. If it was lost, revoke that token and make another with a new " +
			"Idempotency-Key",
		extra: map[string]any{"token": e.Token},
	}
}
