package tokens

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// domain separates these HMACs from any other use of the same key.
const domain = "shpt/v1\x00"

// Digest is the stored form of a secret: HMAC-SHA-256 under the pepper of that
// version, over a constant and the token's whole text.
//
// With a plain hash, write access to the database would be enough to create a token of their own. A slow hash buys
// nothing: no one guesses 190 bits, and each check would take a tenth of a second.
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

// Verify compares a token with a stored digest, in a time that does not depend on where they differ. known is false
// when the digest's pepper is not among these; then the token cannot be compared and ok is false.
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

// Missing returns an error if one of the versions that live tokens need is not loaded.
func (p Peppers) Missing(needed []int) error {
	for _, version := range needed {
		if _, loaded := p.Find(version); !loaded {
			return fmt.Errorf("live tokens need pepper version %d, which TOKEN_PEPPERS does not hold", version)
		}
	}
	return nil
}
