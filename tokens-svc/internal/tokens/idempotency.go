package tokens

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
)

// KeyLifetime is how long an idempotency key is stored.
const KeyLifetime = 24 * time.Hour

// ErrKeyReused means that the idempotency key belongs to a request with another
// body. Nothing was done.
var ErrKeyReused = errors.New("the idempotency key belongs to another request")

// RepeatedError means that a request with the same idempotency key and body took
// effect before. Nothing was done.
type RepeatedError struct{ Token TokenID } // the token that was made, or revoked

// Error implements error.
func (e *RepeatedError) Error() string {
	return fmt.Sprintf("the request with this idempotency key was done before; its token is %s", e.Token)
}

// Key is the idempotency key of one request of an organization.
type Key struct {
	Sum         [sha256.Size]byte // names the request
	Fingerprint [sha256.Size]byte // of its body
	At          time.Time         // when it was made
}

// NewKey returns the key of a request that the parts name: among others its
// operation, its path and the text that the client chose. No part may contain a
// NUL.
func NewKey(fingerprint [sha256.Size]byte, at time.Time, parts ...string) *Key {
	return &Key{Sum: sha256.Sum256([]byte(strings.Join(parts, "\x00"))), Fingerprint: fingerprint, At: at}
}

// WithKey returns the principal for a request with an idempotency key. CreateToken,
// RotateToken and RevokeToken then take effect once within KeyLife: repeated, they
// give a *RepeatedError, or ErrKeyReused where the fingerprint is another. A request
// that is refused does not use up its key. nil: no key.
func (p Principal) WithKey(k *Key) Principal {
	p.key = k
	return p
}
