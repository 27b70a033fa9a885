package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// Keys are the keys of the logs' HMACs. The first one is the primary: new
// events use it. All of them verify. The zero Keys have none. They print as
// nothing but their versions.
type Keys struct{ ring keyring.Ring }

// ParseKeys reads "version:base64,version:base64…", the primary first. A
// version is a whole number from 1 to 32767 and never used for another key; a
// key has at least 32 bytes. Errors name entries by position and repeat no key.
func ParseKeys(text string) (Keys, error) {
	ring, err := keyring.Parse(text, keyring.Bounds{MaxVersion: math.MaxInt16, Bytes: sha256.Size, Longer: true})
	return Keys{ring}, err
}

// AnyBeginsWith reports whether a key begins with these bytes. It is there to
// recognize keys that are known to the public.
func (k Keys) AnyBeginsWith(start string) bool { return k.ring.AnyBeginsWith(start) }

// IsZero reports whether there is no key.
func (k Keys) IsZero() bool { return len(k.ring) == 0 }

// Format implements fmt.Formatter, so that no verb shows more than the versions.
func (k Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "audit keys "+k.ring.String()) }

// primary returns the version that new events use, 0 without keys.
func (k Keys) primary() int {
	if k.IsZero() {
		return 0
	}
	return k.ring[0].Version
}

// of returns the key of a version, nil for one that is not loaded.
func (k Keys) of(version int) []byte {
	for _, key := range k.ring {
		if key.Version == version {
			return key.Text
		}
	}
	return nil
}

// ErrUnanchored is returned by Append for a log from before there were keys.
var ErrUnanchored = errors.New("the audit log ends with an event without a key and is not anchored: run tokens-svc audit anchor")
