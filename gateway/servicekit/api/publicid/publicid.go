// Package publicid creates and parses public identifiers in the form of TypeID: a
// prefix for the type, "_", and a UUIDv7 (RFC 9562) in 26 characters.
//
// The characters are Crockford's base32 in lower case, most significant bits
// first, so identifiers sort as text in the order of their creation. Every UUID
// has exactly one text.
package publicid

import (
	"bytes"
	"encoding/base32"
	"strings"

	"github.com/google/uuid"
)

const (
	// textLen is the length of 128 bits, padded on the left to 130, in base32.
	textLen = 26
	// Four zero bytes before the UUID make 160 bits, a whole number of
	// characters; their six leading characters are always zero and not shown.
	padding  = 4
	padChars = "000000"
)

var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns a new identifier with a prefix, which has no underscore: New("ship")
// is "ship_" and 26 characters.
func New(prefix string) string {
	return Format(prefix, uuid.Must(uuid.NewV7()))
}

// Format returns the identifier text of id.
func Format(prefix string, id uuid.UUID) string {
	var padded [padding + len(id)]byte
	copy(padded[padding:], id[:])
	return prefix + "_" + crockford.EncodeToString(padded[:])[len(padChars):]
}

// Parse reads an identifier of the kind that prefix names. It reports false
// for anything that Format could not have returned.
func Parse(prefix, text string) (uuid.UUID, bool) {
	rest, ok := strings.CutPrefix(text, prefix+"_")
	if !ok || len(rest) != textLen || strings.ContainsAny(rest, "\r\n") {
		return uuid.UUID{}, false
	}
	padded, err := crockford.DecodeString(padChars + rest)
	if err != nil || !bytes.Equal(padded[:padding], make([]byte, padding)) {
		return uuid.UUID{}, false
	}
	return uuid.UUID(padded[padding:]), true
}
