// Package sealing encrypts secrets at rest with AES-256-GCM under keys of a program's settings.
//
// Guarantees: ciphertexts reveal only their length; altered ones, and those of another
// context, do not open; nonces are random; keys have versions, of which the newest
// seals and all open, so that keys can be rotated; keys print as their versions.
package sealing

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// keySize is the length of a key in bytes: AES-256's.
const keySize = 32

// versionSize is the length of the prefix of a ciphertext: the version of the key,
// big-endian.
const versionSize = 2

// ErrSealed is the error of a ciphertext that does not open: its key is not
// configured, its context differs, or it was altered.
var ErrSealed = errors.New("ciphertext does not open with the configured keys")

// Keys seals and opens. The zero Keys does neither.
type Keys struct {
	ring  keyring.Ring
	aeads []cipher.AEAD // of each
}

// Parse parses "version:base64,version:base64…", the newest first. Versions are
// unique whole numbers from 1 to 65535; keys have 32 bytes. Errors name entries by
// position and contain no keys.
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

// AnyBeginsWith reports whether a key begins with these bytes, to detect published
// demo keys.
func (k Keys) AnyBeginsWith(start string) bool { return k.ring.AnyBeginsWith(start) }

// Seal encrypts a text under the newest key. The context is authenticated but not
// stored: Open needs the same one.
func (k Keys) Seal(text []byte, context string) []byte {
	version := binary.BigEndian.AppendUint16(nil, uint16(k.ring[0].Version)) //nolint:gosec // G115: at most 65535
	//nolint:gosec // G407: this AEAD generates a random nonce
	return k.aeads[0].Seal(version, nil, text, []byte(context))
}

// Open decrypts a text that was sealed in this context, or returns ErrSealed.
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
	return nil, fmt.Errorf("%w: there is no key %d", ErrSealed, version)
}

// Newest reports whether a ciphertext was sealed under the newest key.
func (k Keys) Newest(sealed []byte) bool {
	return len(sealed) >= versionSize && int(binary.BigEndian.Uint16(sealed)) == k.ring[0].Version
}

// String implements fmt.Stringer, without the keys.
func (k Keys) String() string { return "sealing keys " + k.ring.String() }

// Format implements fmt.Formatter, so that no verb shows more than String.
func (k Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }
