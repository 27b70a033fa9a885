// Package bearer reads the API token of a request and checks its form.
//
// It guarantees that what [Format.Read] returns is exactly one token of the format, taken from the Authorization header
// and from nowhere else (RFC 6750, section 2.1: never from a body or a query). It makes no calls, so a typing error
// costs the tokens service nothing.
package bearer

import (
	"cmp"
	"errors"
	"hash/crc32"
	"strings"
)

var (
	// ErrMissing means that the request carries no bearer credentials: no Authorization header or one of
	// another scheme.
	ErrMissing = errors.New("no bearer token")
	// ErrMalformed means that the request carries bearer credentials that cannot be a token: more than one
	// Authorization header, or a text of the wrong format or checksum.
	ErrMalformed = errors.New("malformed bearer token")
)

// Format is what tokens look like. The zero Format is that of RFC 6750, with at most 4,096 bytes.
type Format struct {
	// Prefixes are those that a token begins with. Default: any
	Prefixes []string `json:"prefixes,omitempty"`
	// Length is that of a whole token. Default: any
	Length int `json:"length,omitempty"`
	// IDLength is the length of the public id after the prefix, which names the token in the stream of changes.
	// Default: tokens have no id
	IDLength int `json:"id_length,omitempty"`
	// Subject is what precedes the id in the claim sub.
	Subject string `json:"subject,omitempty"`
	// Checksum says that the last six characters are the CRC-32 of the others in base62, as in tokens of GitHub.
	Checksum bool `json:"checksum,omitempty"`
}

const (
	maxLength      = 4096
	checksumLength = 6
	// MaxIDLength is the longest public id.
	MaxIDLength = 32
)

// Validate reports whether there are tokens of the format.
func (f *Format) Validate() error {
	if f.Length < 0 || f.Length > maxLength || f.IDLength < 0 || f.IDLength > MaxIDLength {
		return errors.New("tokens have at most 4096 bytes, and their ids at most 32")
	}
	return nil
}

// Read returns the token in the values of a request's Authorization header, or [ErrMissing] or [ErrMalformed]. The
// scheme is matched in any case (RFC 9110, section 11.1).
func (f *Format) Read(authorization []string) (string, error) {
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
	if !f.WellFormed(token) {
		return "", ErrMalformed
	}
	return token, nil
}

// digits is the base62 alphabet of checksums, in the order of its values.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isTokenByte holds true for the bytes of a token (RFC 6750, section 2.1).
var isTokenByte = func() (table [256]bool) {
	for _, c := range []byte(digits + "-._~+/=") {
		table[c] = true
	}
	return table
}()

// WellFormed reports whether token has a prefix, the length, the alphabet and the checksum of the format. A checksum
// detects typing errors; it does not authenticate.
func (f *Format) WellFormed(token string) bool {
	idStart := f.idStart(token)
	if idStart < 0 || len(token) > cmp.Or(f.Length, maxLength) || len(token) < max(f.Length, idStart+f.IDLength+1) {
		return false
	}
	for i := idStart; i < len(token); i++ {
		if !isTokenByte[token[i]] {
			return false
		}
	}
	return !f.Checksum || hasChecksum(token)
}

// idStart returns the length of the prefix of a token, or -1 if it has none of the format.
func (f *Format) idStart(token string) int {
	if len(f.Prefixes) == 0 {
		return 0
	}
	for _, prefix := range f.Prefixes {
		if strings.HasPrefix(token, prefix) {
			return len(prefix)
		}
	}
	return -1
}

func hasChecksum(token string) bool {
	end := len(token) - checksumLength
	if end < 0 {
		return false
	}
	sum := crc32.ChecksumIEEE([]byte(token[:end]))
	for i := len(token) - 1; i >= end; i-- {
		if token[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// ID returns the public id of a well-formed token; "" if the format has none.
func (f *Format) ID(token string) string {
	start := f.idStart(token)
	return token[start : start+f.IDLength]
}

// SubjectOf returns the claim sub of a well-formed token; "" if the format has no ids.
func (f *Format) SubjectOf(token string) string {
	if f.IDLength == 0 {
		return ""
	}
	return f.Subject + f.ID(token)
}

// IDOf returns the public id in the claim sub of a token, and whether it is one.
func (f *Format) IDOf(subject string) (id string, ok bool) {
	id, ok = strings.CutPrefix(subject, f.Subject)
	ok = ok && len(id) == f.IDLength
	for i := range len(id) {
		ok = ok && isTokenByte[id[i]]
	}
	return id, ok && id != ""
}
