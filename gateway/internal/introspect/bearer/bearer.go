// Package bearer reads the API token of a request and checks its form.
//
// It guarantees that what [Format.Read] returns is exactly one token in the documented format with a right
// checksum, taken from the Authorization header and from nowhere else (RFC 6750, section 2.1: never from
// a body or a query). It makes no calls, so a typing error costs the tokens service nothing.
package bearer

import (
	"errors"
	"strings"
)

// MaxHeaderBytes is the longest Authorization value that is read; a token with the default prefix needs 68 bytes.
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
func (f Format) Read(authorization []string) (string, error) {
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
	if len(authorization[0]) > MaxHeaderBytes {
		return "", ErrMalformed
	}

	token := strings.TrimLeft(credentials, " ")
	if !f.WellFormed(token) {
		return "", ErrMalformed
	}
	return token, nil
}
