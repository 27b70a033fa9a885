// Package password keeps passwords as argon2id hashes (RFC 9106) in PHC format.
//
// Guarantees: a password is the same in all forms of Unicode (it is normalized to NFC); it cannot be
// recovered from its stored form; checking the
// password of an account that does not exist, or that has none, costs what
// checking a wrong one does; hashes made under other parameters keep working; and a
// fixed number of hashes at most is computed at the same time.
package password

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"
)

const (
	saltLen = 16
	sumLen  = 32
	// concurrent bounds the memory of sign-ins, to 76 MiB by default.
	concurrent = 4
)

// Default is the first choice of OWASP's Password Storage Cheat Sheet: 19 MiB,
// two passes, one thread.
var Default = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: saltLen, KeyLength: sumLen}

// Hasher makes and checks hashes. It is safe for concurrent use.
type Hasher struct {
	params argon2id.Params
	slots  chan struct{}
	dummy  string // the hash of no password
}

// New returns a Hasher that makes hashes of the given cost.
func New(p argon2id.Params) *Hasher {
	return &Hasher{
		params: p,
		slots:  make(chan struct{}, concurrent),
		dummy: fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Iterations, p.Parallelism,
			strings.Repeat("A", (saltLen*8+5)/6), strings.Repeat("A", (sumLen*8+5)/6)), // zeros in base64
	}
}

// Wait bounds how long Hash and Verify wait for other passwords to be computed;
// then they return context.DeadlineExceeded.
const Wait = 2 * time.Second

// Hash returns the stored form of a password, in PHC format. It fails only with
// ctx, or after Wait in the queue.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(norm.NFC.String(password), &h.params)
}

// Verify reports whether password is the one that stored was made of. An empty
// stored is no password's: it costs the same and is never right.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (bool, error) {
	release, err := h.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	normal := norm.NFC.String(password)
	right, err := argon2id.ComparePasswordAndHash(normal, cmp.Or(stored, h.dummy))
	if !right && err == nil && normal != password { // one that was stored before passwords were normalized
		right, err = argon2id.ComparePasswordAndHash(password, cmp.Or(stored, h.dummy))
	}
	return right && stored != "", err
}

// acquire waits for one of the slots in which hashes are computed.
func (h *Hasher) acquire(ctx context.Context) (release func(), err error) {
	wait, cancel := context.WithTimeout(ctx, Wait)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-wait.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", wait.Err())
	}
}
