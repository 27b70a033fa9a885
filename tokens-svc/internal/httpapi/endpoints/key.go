package endpoints

import (
	"crypto/sha256"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Key is the Idempotency-Key of a request, as the client sent it.
type Key struct {
	Operation   string // method and path
	Text        string
	Fingerprint [sha256.Size]byte // of the body
}

// Keyed returns the principal with the request's key, if it has one. The key
// belongs to the caller's partition, so those of test and live tokens are apart, and
// to the subject, the token that the request is about.
func (c Call) Keyed(now time.Time, subject ...string) tokens.Principal {
	if c.Key == nil {
		return c.Principal.Principal
	}
	parts := append([]string{string(c.Token.Partition()), c.Key.Operation, c.Key.Text}, subject...)
	return c.WithKey(tokens.NewKey(c.Key.Fingerprint, now, parts...))
}
