package endpoints

import (
	"crypto/sha256"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Key is the Idempotency-Key of a request, as the client sent it.
type Key struct {
	Operation   string // method and path
	Text        string
	Fingerprint [sha256.Size]byte // of the body
}

// keyed returns the principal for a request with a key; nil: without one. The key
// belongs to the caller's partition, so those of test and live tokens are apart, and
// to the subject, the token that the request is about.
func (m Management) keyed(principal Principal, k *Key, subject ...string) tokens.Principal {
	if k == nil {
		return principal.Principal
	}
	parts := append([]string{string(principal.Token.Partition()), k.Operation, k.Text}, subject...)
	return principal.WithKey(tokens.NewKey(k.Fingerprint, m.Service.Now(), parts...))
}
