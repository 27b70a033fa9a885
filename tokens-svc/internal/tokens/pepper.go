package tokens

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// minPepper is the least length of a pepper in bytes: that of SHA-256's output.
const minPepper = sha256.Size

// domain separates these HMACs from any other use of the same key.
const domain = "shpt/v1\x00"

// Digest is what is stored of a token: HMAC-SHA-256 under the pepper of that
// version, over a constant and the token's whole text.
//
// A plain hash would let whoever can write to the database make a token of
// their own. A slow hash buys nothing: no one guesses 190 bits, and each check
// would take a tenth of a second.
type Digest struct {
	Version int
	MAC     [sha256.Size]byte
}

// Peppers are the keys of the stored digests. The newest seals; the others
// still verify, until every token in use was sealed again. They print as
// nothing but their versions.
type Peppers struct{ keys []pepper }

type pepper struct {
	version int
	key     []byte
}

// ParsePeppers reads "version:base64,version:base64…", newest first. A version
// is a whole number from 1 to 32767 and never used for another key; a key has
// at least 32 bytes. Errors name entries by position and repeat no key.
func ParsePeppers(text string) (Peppers, error) {
	var p Peppers
	var errs []error
	seen := map[int]bool{}
	for i, entry := range strings.Split(text, ",") {
		key, err := parsePepper(strings.TrimSpace(entry))
		if err == nil && seen[key.version] {
			err = fmt.Errorf("version %d is given twice", key.version)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("entry %d: %w", i+1, err))
			continue
		}
		seen[key.version] = true
		p.keys = append(p.keys, key)
	}
	if err := errors.Join(errs...); err != nil {
		return Peppers{}, err
	}
	return p, nil
}

func parsePepper(entry string) (pepper, error) {
	number, encoded, ok := strings.Cut(entry, ":")
	version, err := strconv.Atoi(number)
	if !ok || err != nil || version < 1 || version > math.MaxInt16 {
		return pepper{}, errors.New("want version:base64, the version a whole number from 1 to 32767")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return pepper{}, fmt.Errorf("version %d is not base64", version)
	}
	if len(key) < minPepper {
		return pepper{}, fmt.Errorf("version %d has %d bytes; at least %d are needed", version, len(key), minPepper)
	}
	return pepper{version: version, key: key}, nil
}

// AnyBeginsWith reports whether a key begins with these bytes. It is there to
// recognize keys that are known to the public.
func (p Peppers) AnyBeginsWith(start string) bool {
	for _, k := range p.keys {
		if strings.HasPrefix(string(k.key), start) {
			return true
		}
	}
	return false
}

// Seal returns the token's digest under the newest pepper.
func (p Peppers) Seal(s Secret) Digest { return p.keys[0].seal(s) }

// Verify compares a token with a stored digest, in a time that does not depend
// on where they differ. known is false when the digest's pepper is not among
// these; then nothing can be said and ok is false.
func (p Peppers) Verify(s Secret, stored Digest) (ok, known bool) {
	for _, k := range p.keys {
		if k.version == stored.Version {
			mac := k.seal(s).MAC
			return hmac.Equal(mac[:], stored.MAC[:]), true
		}
	}
	return false, false
}

// Newest returns the version under which Seal works.
func (p Peppers) Newest() int { return p.keys[0].version }

// IsZero reports whether there is no pepper: such Peppers can only be printed.
func (p Peppers) IsZero() bool { return len(p.keys) == 0 }

// String implements fmt.Stringer, without the keys.
func (p Peppers) String() string {
	versions := make([]string, len(p.keys))
	for i, k := range p.keys {
		versions[i] = strconv.Itoa(k.version)
	}
	return "peppers " + strings.Join(versions, ", ")
}

// Format implements fmt.Formatter, so that no verb shows more than String.
func (p Peppers) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

func (k pepper) seal(s Secret) Digest {
	d := Digest{Version: k.version}
	h := hmac.New(sha256.New, k.key)
	_, _ = io.WriteString(h, domain)
	_, _ = io.WriteString(h, s.Reveal())
	h.Sum(d.MAC[:0])
	return d
}
