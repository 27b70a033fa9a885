package audit

import (
	"crypto/sha256"
	"errors"
	"math"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// Keys are the keys of the logs' HMACs. The first one is the primary: new
// events use it. All of them verify. The zero Keys have none. They print as
// their versions.
type Keys struct{ keyring.Ring }

// ParseKeys reads "version:base64,version:base64…", the primary first. A
// version is a whole number from 1 to 32767 and never used for another key; a
// key has at least 32 bytes. Errors name entries by position and repeat no key.
func ParseKeys(text string) (Keys, error) {
	ring, err := keyring.Parse(text, keyring.Bounds{MaxVersion: math.MaxInt16, Bytes: sha256.Size, Longer: true})
	return Keys{ring}, err
}

// IsZero reports whether there is no key.
func (k Keys) IsZero() bool { return len(k.Ring) == 0 }

// primary returns the version that new events use, 0 without keys.
func (k Keys) primary() int {
	if k.IsZero() {
		return 0
	}
	return k.Ring[0].Version
}

// ErrUnanchored is returned by Append for a log from before there were keys.
var ErrUnanchored = errors.New("the audit log ends with an event without a key and is not anchored: run tokens-svc audit anchor")
