// Package requestid makes the ids under which one request is found in every log and answer.
//
// An id is "req_" and the 128 bits of a UUID version 7 (RFC 9562) in 26 characters of lower-case
// Crockford base32, most significant first: ids sort by time, hold no character that is mistaken for
// another, and are selected by a double-click.
package requestid

import "github.com/google/uuid"

const (
	prefix   = "req_"
	alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// New returns a fresh request id.
func New() string {
	return encode(uuid.Must(uuid.NewV7()))
}

// encode writes id as 26 digits of 5 bits: 130 bits, of which the first two are zero.
func encode(id uuid.UUID) string {
	var text [len(prefix) + 26]byte
	copy(text[:], prefix)
	var (
		pending uint32 // the bits that are not written yet, the next digit lowest
		bits    int
		at      = len(text) - 1
	)
	for i := len(id) - 1; i >= 0; i-- {
		pending |= uint32(id[i]) << bits
		for bits += 8; bits >= 5; bits -= 5 {
			text[at] = alphabet[pending&31]
			pending >>= 5
			at--
		}
	}
	text[at] = alphabet[pending]
	return string(text[:])
}
