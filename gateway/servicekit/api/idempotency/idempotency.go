// Package idempotency reads the Idempotency-Key of a request and fingerprints its
// body, so that a service can recognize a repeated request.
package idempotency

import (
	"crypto/sha256"
	"hash"
	"io"
	"net/http"
)

// Headers of a request with a key, and of the response to a repeated one.
const (
	Header   = "Idempotency-Key"
	Replayed = "Idempotency-Replayed"
)

const maxKey = 255

// HeaderError is the error of a header with a value that is not allowed.
type HeaderError struct{ reason string }

// Error implements error.
func (e *HeaderError) Error() string { return e.reason }

// Key returns the key of a request, or "" where it has none. The error is a
// *HeaderError.
func Key(r *http.Request) (string, error) {
	values := r.Header.Values(Header)
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	valid := len(values) == 1 && key != "" && len(key) <= maxKey
	for _, c := range []byte(key) {
		valid = valid && c > ' ' && c < 0x7f
	}
	if !valid {
		return "", &HeaderError{Header + " must be given once, as 1 to 255 visible ASCII characters without spaces"}
	}
	return key, nil
}

// Body is a request's body that is hashed while it is read.
type Body struct {
	io.Reader
	io.Closer
	sum hash.Hash
	set *[sha256.Size]byte
}

// HashBody replaces the body of a request by one that is hashed.
func HashBody(r *http.Request) *Body {
	sum := sha256.New()
	b := &Body{Reader: io.TeeReader(r.Body, sum), Closer: r.Body, sum: sum}
	r.Body = b
	return b
}

// SetFingerprint replaces the fingerprint, for bodies of which different bytes
// have the same meaning, such as forms with random boundaries.
func (b *Body) SetFingerprint(sum [sha256.Size]byte) { b.set = &sum }

// Fingerprint is the SHA-256 hash of all that was read, or the one that was set.
func (b *Body) Fingerprint() (sum [sha256.Size]byte) {
	if b.set != nil {
		return *b.set
	}
	b.sum.Sum(sum[:0])
	return sum
}
