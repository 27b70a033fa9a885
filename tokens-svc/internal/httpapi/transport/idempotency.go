package transport

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"net/http"

	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const (
	headerKey      = "Idempotency-Key"
	headerReplayed = "Idempotency-Replayed"
	maxKey         = 255
)

// headerError says that a header has a value that is not allowed.
type headerError struct{ reason string }

// Error implements error.
func (e *headerError) Error() string { return e.reason }

// keyed decodes a request and passes its Idempotency-Key on with set. The fingerprint
// is that of the body, byte for byte.
func keyed[Req any](decode func(*http.Request) (Req, error), set func(*Req, *endpoints.Key)) func(*http.Request) (Req, error) {
	return func(r *http.Request) (Req, error) {
		var request Req
		key, err := idempotencyKey(r)
		if err != nil || key == nil {
			if err == nil {
				request, err = decode(r)
			}
			return request, err
		}
		body := &hashedBody{ReadCloser: r.Body, sum: sha256.New()}
		r.Body = body
		if request, err = decode(r); err != nil {
			return request, err
		}
		body.sum.Sum(key.Fingerprint[:0])
		set(&request, key)
		return request, nil
	}
}

// hashedBody is a body that is hashed as it is read.
type hashedBody struct {
	io.ReadCloser
	sum hash.Hash
}

// Read implements io.Reader.
func (b *hashedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	_, _ = b.sum.Write(p[:n]) // a hash.Hash never fails
	return n, err
}

// idempotencyKey reads the header: visible ASCII, taken as it is. nil: there is
// none.
func idempotencyKey(r *http.Request) (*endpoints.Key, error) {
	values := r.Header.Values(headerKey)
	if len(values) == 0 {
		return nil, nil //nolint:nilnil // a request without a key is valid
	}
	text := values[0]
	valid := len(values) == 1 && text != "" && len(text) <= maxKey
	for _, c := range []byte(text) {
		valid = valid && c > ' ' && c < 0x7f
	}
	if !valid {
		return nil, &headerError{headerKey + " must be given once, as 1 to 255 visible ASCII characters without spaces"}
	}
	return &endpoints.Key{Operation: r.Method + " " + r.URL.EscapedPath(), Text: text}, nil
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
