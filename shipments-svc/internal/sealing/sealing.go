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
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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
type Keys struct{ ring []key } // the newest first

type key struct {
	version uint16
	text    []byte
	aead    cipher.AEAD
}

// Parse reads "version:base64,version:base64…", the newest first. A version is
// a whole number from 1 to 65535 and never used for another key; a key has 32
// bytes. Errors name entries by position and repeat no key.
func Parse(text string) (Keys, error) {
	var k Keys
	var errs []error
	seen := map[uint16]bool{}
	for i, entry := range strings.Split(text, ",") {
		one, err := parse(strings.TrimSpace(entry))
		if err == nil && seen[one.version] {
			err = fmt.Errorf("version %d is given twice", one.version)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("entry %d: %w", i+1, err))
			continue
		}
		seen[one.version] = true
		k.ring = append(k.ring, one)
	}
	if err := errors.Join(errs...); err != nil {
		return Keys{}, err
	}
	return k, nil
}

func parse(entry string) (key, error) {
	number, encoded, ok := strings.Cut(entry, ":")
	version, err := strconv.Atoi(number)
	if !ok || err != nil || version < 1 || version > math.MaxUint16 {
		return key{}, errors.New("want version:base64, the version a whole number from 1 to 65535")
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return key{}, fmt.Errorf("version %d is not base64", version)
	}
	if len(text) != keySize {
		return key{}, fmt.Errorf("version %d has %d bytes; exactly %d are needed", version, len(text), keySize)
	}
	block, err := aes.NewCipher(text)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return key{uint16(version), text, aead}, err
}

// AnyBeginsWith reports whether a key begins with these bytes. It is there to
// recognize keys that are known to the public.
func (k Keys) AnyBeginsWith(start string) bool {
	for _, one := range k.ring {
		if strings.HasPrefix(string(one.text), start) {
			return true
		}
	}
	return false
}

// Seal encrypts a text under the newest key. The context says what it is and
// where it belongs; it is not stored, and only with the same one does the text
// open again.
func (k Keys) Seal(text []byte, context string) []byte {
	newest := k.ring[0]
	return newest.aead.Seal(binary.BigEndian.AppendUint16(nil, newest.version), nil, text, []byte(context)) //nolint:gosec // G407: this AEAD makes a random nonce itself
}

// Open returns the text that was sealed in this context, or ErrSealed.
func (k Keys) Open(sealed []byte, context string) ([]byte, error) {
	if len(sealed) < versionSize {
		return nil, ErrSealed
	}
	version := binary.BigEndian.Uint16(sealed)
	for _, one := range k.ring {
		if one.version != version {
			continue
		}
		text, err := one.aead.Open(nil, nil, sealed[versionSize:], []byte(context))
		if err != nil {
			return nil, ErrSealed
		}
		return text, nil
	}
	return nil, fmt.Errorf("%w: key %d is not among them", ErrSealed, version)
}

// Newest reports whether something was sealed under the key that seals now.
func (k Keys) Newest(sealed []byte) bool {
	return len(sealed) >= versionSize && binary.BigEndian.Uint16(sealed) == k.ring[0].version
}

// String implements fmt.Stringer, without the keys.
func (k Keys) String() string {
	versions := make([]string, len(k.ring))
	for i, one := range k.ring {
		versions[i] = strconv.Itoa(int(one.version))
	}
	return "sealing keys " + strings.Join(versions, ", ")
}

// Format implements fmt.Formatter, so that no verb shows more than String.
func (k Keys) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }
