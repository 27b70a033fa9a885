// Package password keeps passwords as argon2id hashes (RFC 9106).
//
// Guarantees: a password cannot be recovered from its stored form; checking the
// password of an account that does not exist, or that has none, costs what
// checking a wrong one does; hashes made under other parameters keep working and
// are recognized, so that they can be replaced; and a fixed number of hashes at
// most is computed at the same time, however many people sign in.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/argon2"
)

// Params are the cost parameters of a hash.
type Params struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// Default is the first choice of OWASP's Password Storage Cheat Sheet: 19 MiB,
// two passes, one thread.
var Default = Params{Memory: 19 << 10, Passes: 2, Threads: 1}

const (
	saltLen = 16
	sumLen  = 32
	// atOnce bounds the memory of concurrent sign-ins, to 76 MiB by default.
	atOnce = 4
)

// ErrStored says that a stored hash is none that this package made.
var ErrStored = errors.New("not an argon2id hash in PHC format")

// Hasher makes and checks hashes. It is safe for concurrent use.
type Hasher struct {
	params Params
	slots  chan struct{}
	dummy  hash // of no password; its sum is never right
}

// New returns a Hasher that makes hashes of the given cost.
func New(p Params) *Hasher {
	return &Hasher{
		params: p,
		slots:  make(chan struct{}, atOnce),
		dummy:  hash{params: p, salt: make([]byte, saltLen), sum: make([]byte, sumLen)},
	}
}

// Wait bounds how long Hash and Verify wait for other passwords to be computed;
// then they give context.DeadlineExceeded.
const Wait = 2 * time.Second

// Hash returns the stored form of a password, in PHC format. It fails
// only with ctx, whose end it need not wait for in the queue.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	made := hash{params: h.params, salt: make([]byte, saltLen)}
	if _, err := rand.Read(made.salt); err != nil {
		return "", fmt.Errorf("make a salt: %w", err)
	}
	var err error
	if made.sum, err = h.derive(ctx, made, password); err != nil {
		return "", err
	}
	return made.String(), nil
}

// Verify reports whether password is the one that stored was made of, and
// whether it should be hashed anew because parameters have changed. An empty
// stored is no password's: it costs the same and is never right.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (right, stale bool, err error) {
	known := h.dummy
	if stored != "" {
		if known, err = parse(stored); err != nil {
			return false, false, err
		}
	}
	sum, err := h.derive(ctx, known, password)
	if err != nil {
		return false, false, err
	}
	right = subtle.ConstantTimeCompare(sum, known.sum) == 1 && stored != ""
	return right, right && known.params != h.params, nil
}

// derive computes the sum of a password under the parameters and salt of like.
func (h *Hasher) derive(ctx context.Context, like hash, password string) ([]byte, error) {
	wait, cancel := context.WithTimeout(ctx, Wait)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-wait.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", wait.Err())
	}
	p := like.params
	return argon2.IDKey([]byte(password), like.salt, p.Passes, p.Memory, p.Threads, sumLen), nil
}
