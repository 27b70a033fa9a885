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

	"github.com/quayside/quayside/gateway/servicekit/settings/keyring"
)

// versionSize is the length of the prefix of a ciphertext: the version of the key,
// big-endian.
const versionSize = 2

// ErrSealed is the error of a ciphertext that does not open: its key is not
// configured, its context differs, or it was altered.
var ErrSealed = errors.New("ciphertext does not open with the configured keys")

// Keys seals and opens. The zero Keys does neither.
type Keys struct{ keyring.Ring }

// Parse parses "version:base64,version:base64…", the newest first. Keys have 32 bytes. Errors name entries by
// position and contain no keys.
func Parse(text string) (Keys, error) {
	ring, err := keyring.Parse(text)
	for _, k := range ring {
		if n := len(k.Text); n != keyring.MinBytes {
			return Keys{}, fmt.Errorf("version %d has %d bytes; exactly %d are needed", k.Version, n, keyring.MinBytes)
		}
	}
	return Keys{ring}, err
}

// aead returns the cipher of a key, which Parse has checked.
func aead(k keyring.Key) cipher.AEAD {
	block, err := aes.NewCipher(k.Text)
	if err != nil {
		panic(err)
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealer
}

// Seal encrypts a text under the newest key. The context is authenticated but not
// stored: Open needs the same one.
func (k Keys) Seal(text []byte, context string) []byte {
	newest := k.Ring[0]
	version := binary.BigEndian.AppendUint16(nil, uint16(newest.Version)) //nolint:gosec // G115: at most 32767
	return aead(newest).Seal(version, nil, text, []byte(context))         //nolint:gosec // G407: it generates the nonce
}

// Open decrypts a text that was sealed in this context, or returns ErrSealed.
func (k Keys) Open(sealed []byte, context string) ([]byte, error) {
	if len(sealed) < versionSize {
		return nil, ErrSealed
	}
	version := int(binary.BigEndian.Uint16(sealed))
	key, known := k.Find(version)
	if !known {
		return nil, fmt.Errorf("%w: there is no key %d", ErrSealed, version)
	}
	text, err := aead(key).Open(nil, nil, sealed[versionSize:], []byte(context))
	if err != nil {
		return nil, ErrSealed
	}
	return text, nil
}

// Newest reports whether a ciphertext was sealed under the newest key.
func (k Keys) Newest(sealed []byte) bool {
	return len(sealed) >= versionSize && int(binary.BigEndian.Uint16(sealed)) == k.Ring[0].Version
}
