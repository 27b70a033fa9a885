// Package requestid makes the ids under which one request is found in every log and answer.
//
// An id is "req_" and the 128 bits of a UUID version 7 (RFC 9562) in 26 characters of lower-case
// Crockford base32, most significant first: ids sort by time, hold no character that is mistaken for
// another, and are selected by a double-click.
package requestid

import (
	"encoding/base32"

	"github.com/google/uuid"
)

const prefix = "req_"

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns a fresh request id.
func New() string {
	return encode(uuid.Must(uuid.NewV7()))
}

// encode writes id as 26 digits of 5 bits: 130 bits, of which the first two are zero. Base32 pads at the end, so four
// zero bytes in front make whole digits, of which the first six are left out.
func encode(id uuid.UUID) string {
	var padded [4 + len(id)]byte
	copy(padded[4:], id[:])
	var text [32]byte
	crockford.Encode(text[:], padded[:])
	return prefix + string(text[6:])
}
