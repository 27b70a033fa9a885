// Package sealing encrypts what must be kept but not be read where it is kept:
// AES-256-GCM under keys from the configuration.
//
// Guarantees: who has only what was sealed learns its length and nothing else;
// what was changed, or is opened in another context than it was sealed in, does
// not open; each seal has a random nonce; keys have versions, of which the
// newest seals and all open, so that they can be replaced; keys print as their
// versions only.
package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/quayside/quayside/gateway/servicekit/keyring"
)

// keySize is the length of a key in bytes: AES-256's.
const keySize = 32

// versionSize is the length of what stands before the ciphertext: the key's
// version, big-endian.
const versionSize = 2

// ErrSealed says that something does not open: it was sealed with a key that
// is not here, in another context, or was changed since.
var ErrSealed = errors.New("what is sealed does not open with the keys that are configured")

// Keys are what seals and opens. The zero Keys do neither.
type Keys struct {
	ring  keyring.Ring
	aeads []cipher.AEAD // of each
}

// Parse reads "version:base64,version:base64…", the newest first. A version is
// a whole number from 1 to 65535 and never used for another key; a key has 32
// bytes. Errors name entries by position and repeat no key.
func Parse(text string) (Keys, error) {
	ring, err := keyring.Parse(text, keyring.Bounds{MaxVersion: math.MaxUint16, Bytes: keySize})
	if err != nil {
		return Keys{}, err
	}
	k := Keys{ring, make([]cipher.AEAD, len(ring))}
	for i, one := range ring {
		block, err := aes.NewCipher(one.Text)
		if err == nil {
			k.aeads[i], err = cipher.NewGCMWithRandomNonce(block)
		}
		if err != nil {
			return Keys{}, err
		}
	}
	return k, nil
}

// AnyBeginsWith reports whether a key begins with these bytes. It is there to
// recognize keys that are known to the public.
func (k Keys) AnyBeginsWith(start string) bool { return k.ring.AnyBeginsWith(start) }

// Seal encrypts a text under the newest key. The context says what it is and
// where it belongs; it is not stored, and only with the same one does the text
// open again.
func (k Keys) Seal(text []byte, context string) []byte {
	version := binary.BigEndian.AppendUint16(nil, uint16(k.ring[0].Version)) //nolint:gosec // G115: at most 65535
	return k.aeads[0].Seal(version, nil, text, []byte(context))              //nolint:gosec // G407: this AEAD makes a random nonce itself
}

// Open returns the text that was sealed in this context, or ErrSealed.
func (k Keys) Open(sealed []byte, context string) ([]byte, error) {
	if len(sealed) < versionSize {
		return nil, ErrSealed
	}
	version := int(binary.BigEndian.Uint16(sealed))
	for i, one := range k.ring {
		if one.Version != version {
			continue
		}
		text, err := k.aeads[i].Open(nil, nil, sealed[versionSize:], []byte(context))
		if err != nil {
			return nil, ErrSealed
		}
		return text, nil
	}
	return nil, fmt.Errorf("%w: key %d is not among them", ErrSealed, version)
}

// Newest reports whether something was sealed under the key that seals now.
func (k Keys) Newest(sealed []byte) bool {
	return len(sealed) >= versionSize && int(binary.BigEndian.Uint16(sealed)) == k.ring[0].Version
}

// String implements fmt.Stringer, without the keys.
func (k Keys) String() string { return "sealing keys " + k.ring.String() }

// Format implements fmt.Formatter, so that no verb shows more than String.
func (k Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }
