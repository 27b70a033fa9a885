// Package password keeps passwords as argon2id hashes (RFC 9106) in PHC format.
//
// Guarantees: a password cannot be recovered from its stored form; checking the
// password of an account that does not exist, or that has none, costs what
// checking a wrong one does; hashes made under other parameters keep working and
// are recognized, so that they can be replaced; and a fixed number of hashes at
// most is computed at the same time.
package password

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"
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
	// concurrent bounds the memory of sign-ins, to 76 MiB by default.
	concurrent = 4
)

// Bounds on the parameters of a stored hash: a row that somebody has changed in
// the database must not exhaust the memory of the program, or its time.
const (
	maxMemory = 1 << 20 // KiB
	maxPasses = 32
)

// ErrStored means that a stored hash is invalid or exceeds the bounds.
var ErrStored = errors.New("not an argon2id hash in PHC format")

// Hasher makes and checks hashes. It is safe for concurrent use.
type Hasher struct {
	params argon2id.Params
	slots  chan struct{}
	dummy  string // the hash of no password
}

// New returns a Hasher that makes hashes of the given cost.
func New(p Params) *Hasher {
	return &Hasher{
		params: argon2id.Params{
			Memory: p.Memory, Iterations: p.Passes, Parallelism: p.Threads,
			SaltLength: saltLen, KeyLength: sumLen,
		},
		slots: make(chan struct{}, concurrent),
		dummy: fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Passes, p.Threads,
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
	return argon2id.CreateHash(password, &h.params)
}

// Verify reports whether password is the one that stored was made of, and
// whether it should be hashed anew because parameters have changed. An empty
// stored is no password's: it costs the same and is never right.
func (h *Hasher) Verify(ctx context.Context, stored, password string) (right, stale bool, err error) {
	known := cmp.Or(stored, h.dummy)
	p, _, _, err := argon2id.DecodeHash(known)
	if err != nil || p.Memory < 8 || p.Memory > maxMemory || p.Iterations < 1 || p.Iterations > maxPasses ||
		p.Parallelism < 1 || p.SaltLength < 8 || p.KeyLength != sumLen {
		return false, false, ErrStored
	}
	release, err := h.acquire(ctx)
	if err != nil {
		return false, false, err
	}
	defer release()
	right, err = argon2id.ComparePasswordAndHash(password, known)
	right = right && stored != ""
	return right, right && *p != h.params, err
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
