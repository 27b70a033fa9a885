// Package password keeps passwords as argon2id hashes (RFC 9106) in PHC format.
//
// Guarantees: a password is the same in all forms of Unicode (it is normalized to NFC); it cannot be recovered from its
// stored form; checking the password of an account that does not exist, or that has none, costs what checking a wrong
// one does; hashes made under other parameters keep working; a fixed number of hashes at most is computed at the same
// time; and neither one network's passwords delay another's, nor those of unknown devices those of known ones.
package password

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"

	"github.com/quayside/quayside/gateway/servicekit/limit"
)

const (
	saltLen = 16
	sumLen  = 32
	// concurrent is how many passwords are computed at a time for known devices, and as many for others, which bounds
	// the memory of sign-ins to 76 MiB by default; perNetwork is a network's part of it.
	concurrent, perNetwork = 2, 1
	// queued is how many passwords of a network may wait.
	queued = 64
)

// Default is the first choice of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes, one thread.
var Default = argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: saltLen, KeyLength: sumLen}

// From is where a password comes from: the client's network, and whether the account knows the device.
type From struct {
	Network netip.Prefix
	Known   bool
}

// Hasher makes and checks hashes. It is safe for concurrent use.
type Hasher struct {
	params argon2id.Params
	slots  map[bool]*limit.Shares[netip.Prefix] // of known devices, and of others
	dummy  string                               // the hash of no password
}

// New returns a Hasher that makes hashes of the given cost.
func New(p argon2id.Params) *Hasher {
	return &Hasher{
		params: p,
		slots:  map[bool]*limit.Shares[netip.Prefix]{true: newSlots(), false: newSlots()},
		dummy: fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", p.Memory, p.Iterations, p.Parallelism,
			strings.Repeat("A", (saltLen*8+5)/6), strings.Repeat("A", (sumLen*8+5)/6)), // zeros in base64
	}
}

func newSlots() *limit.Shares[netip.Prefix] {
	return limit.New[netip.Prefix](limit.Config{Total: concurrent, Each: perNetwork, Queue: queued, Wait: Wait})
}

// Wait bounds how long Hash and Verify wait for other passwords to be computed: then they return limit.ErrShare, if
// these are of the same network, or limit.ErrTotal.
const Wait = 2 * time.Second

// Hash returns the stored form of a password that came from a network, in PHC format. It fails only with
// ctx, or after Wait in the queue.
func (h *Hasher) Hash(ctx context.Context, from From, password string) (string, error) {
	release, err := h.slots[from.Known].Acquire(ctx, from.Network, 1)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(norm.NFC.String(password), &h.params)
}

// Verify reports whether password is the one that stored was made of. An empty
// stored is no password's: it costs the same and is never right.
func (h *Hasher) Verify(ctx context.Context, from From, stored, password string) (bool, error) {
	release, err := h.slots[from.Known].Acquire(ctx, from.Network, 1)
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
