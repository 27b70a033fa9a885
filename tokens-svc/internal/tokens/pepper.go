package tokens

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// domain separates these HMACs from any other use of the same key.
const domain = "shpt/v1\x00"

// Digest is the stored form of a secret: HMAC-SHA-256 under the pepper of that
// version, over a constant and the token's whole text.
//
// With a plain hash, write access to the database would be enough to create a token of
// their own. A slow hash buys nothing: no one guesses 190 bits, and each check
// would take a tenth of a second.
type Digest struct {
	Version int
	MAC     [sha256.Size]byte
}

// Peppers are the keys of the stored digests. The first one is the primary: it
// seals. All of them verify. They print as their versions.
type Peppers struct{ keyring.Ring }

// ParsePeppers reads "version:base64,version:base64…", the primary first. A
// version is a whole number from 1 to 32767 and never used for another key; a
// key has at least 32 bytes, as SHA-256's output. Errors name entries by position and repeat no key.
func ParsePeppers(text string) (Peppers, error) {
	ring, err := keyring.Parse(text)
	return Peppers{ring}, err
}

// Seal returns the token's digest under the primary pepper.
func (p Peppers) Seal(s Secret) Digest { return seal(p.Ring[0], s) }

// Verify compares a token with a stored digest, in a time that does not depend
// on where they differ. known is false when the digest's pepper is not among
// these; then the token cannot be compared and ok is false.
func (p Peppers) Verify(s Secret, stored Digest) (ok, known bool) {
	k, known := p.Find(stored.Version)
	mac := seal(k, s).MAC
	return known && hmac.Equal(mac[:], stored.MAC[:]), known
}

func seal(k keyring.Key, s Secret) Digest {
	d := Digest{Version: k.Version}
	h := hmac.New(sha256.New, k.Text)
	_, _ = io.WriteString(h, domain)
	_, _ = io.WriteString(h, s.Reveal())
	h.Sum(d.MAC[:0])
	return d
}

// pepperCountAge is how old a count may be that is returned again: it reads the
// index of all tokens, and gateways ask for readiness all the time.
const pepperCountAge = 10 * time.Second

// Count returns a function that returns how many live tokens, neither revoked nor expired, need each version of the
// pepper, also a version that is loaded and not needed. It asks count, whose result it returns again for a while.
func (p Peppers) Count(count func(context.Context) (map[int]int, error)) func(context.Context) (map[int]int, error) {
	var mu sync.Mutex
	var counted map[int]int
	var at time.Time
	return func(ctx context.Context) (map[int]int, error) {
		mu.Lock()
		defer mu.Unlock()
		if counted != nil && time.Since(at) < pepperCountAge {
			return counted, nil
		}
		now, err := count(ctx)
		if err != nil {
			return nil, err
		}
		for _, k := range p.Ring {
			now[k.Version] += 0
		}
		counted, at = now, time.Now()
		return now, nil
	}
}

// Missing returns an error if a live token needs a version that is not loaded.
func (p Peppers) Missing(counts map[int]int) error {
	for version, n := range counts {
		if _, loaded := p.Find(version); !loaded && n > 0 {
			return fmt.Errorf("%d live tokens need pepper version %d, which TOKEN_PEPPERS does not hold", n, version)
		}
	}
	return nil
}
