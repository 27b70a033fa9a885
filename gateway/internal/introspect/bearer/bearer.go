// Package bearer reads the API token of a request and checks its form.
//
// It guarantees that what [Read] returns is exactly one token in the documented format with a right
// checksum, taken from the Authorization header and from nowhere else (RFC 6750, section 2.1: never from
// a body or a query). It makes no calls, so a typing error costs the tokens service nothing.
package bearer

import (
	"errors"
	"hash/crc32"
	"strings"
)

// MaxHeaderBytes is the longest Authorization value that is read; a token needs 68 bytes.
const MaxHeaderBytes = 512

var (
	// ErrMissing means that the request carries no bearer credentials: no Authorization header or one of
	// another scheme.
	ErrMissing = errors.New("no bearer token")
	// ErrMalformed means that the request carries bearer credentials that cannot be a token: more than one
	// Authorization header, an over-long one, or a text of the wrong format or checksum.
	ErrMalformed = errors.New("malformed bearer token")
)

// Read returns the token in the values of a request's Authorization header, or [ErrMissing] or
// [ErrMalformed]. The scheme is matched in any case (RFC 9110, section 11.1).
func Read(authorization []string) (string, error) {
	switch len(authorization) {
	case 0:
		return "", ErrMissing
	case 1:
	default:
		return "", ErrMalformed
	}
	scheme, credentials, _ := strings.Cut(authorization[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", ErrMissing
	}
	token := strings.TrimLeft(credentials, " ")
	if len(authorization[0]) > MaxHeaderBytes || !WellFormed(token) {
		return "", ErrMalformed
	}
	return token, nil
}

// The layout of a token: shpt_live_ or shpt_test_, the id, _, a secret and a checksum.
const (
	live, test = "shpt_live_", "shpt_test_"
	// IDLength is the length of the id in a token.
	IDLength       = 12
	secretLength   = 32
	checksumLength = 6
	length         = len(live) + IDLength + len("_") + secretLength + checksumLength
)

// digits is the base62 alphabet of ids, secrets and checksums, in the order of its values.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isDigit holds true for the bytes of digits.
var isDigit = func() (table [256]bool) {
	for i := range len(digits) {
		table[digits[i]] = true
	}
	return table
}()

// WellFormed reports whether token has the prefix, the length, the alphabet and the CRC-32 of a token. The checksum
// detects typing errors; it does not authenticate.
func WellFormed(token string) bool {
	const idEnd, secretEnd = len(live) + IDLength, length - checksumLength
	if len(token) != length || token[:len(live)] != live && token[:len(test)] != test || token[idEnd] != '_' {
		return false
	}
	for i := len(live); i < length; i++ {
		if i != idEnd && !isDigit[token[i]] {
			return false
		}
	}
	sum := crc32.ChecksumIEEE([]byte(token[:secretEnd]))
	for i := length - 1; i >= secretEnd; i-- {
		if token[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// ID returns the public part of a well-formed token, which identifies it.
func ID(token string) string { return token[len(live) : len(live)+IDLength] }
