package bearer

import (
	"fmt"
	"hash/crc32"
)

// IDLength is the length of the id in a token.
const IDLength = 12

// DefaultPrefix is the prefix of Quayside's own tokens.
const DefaultPrefix = "shpt"

// The layout of a token, <prefix>_<env>_<id>_<secret><checksum>: env is live or test, and the last three parts have
// these lengths.
const (
	envLength      = len("_live_")
	secretLength   = 32
	checksumLength = 6
	tailLength     = IDLength + len("_") + secretLength + checksumLength
)

// Format is the format of the tokens with one prefix; make it with [NewFormat].
type Format struct{ prefix string }

// NewFormat returns the format with prefix, 2 to 16 lower-case letters and digits.
func NewFormat(prefix string) (Format, error) {
	valid := len(prefix) >= 2 && len(prefix) <= 16
	for i := range len(prefix) {
		c := prefix[i]
		valid = valid && ('a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if !valid {
		return Format{}, fmt.Errorf("token prefix %q: must be 2 to 16 lower-case letters and digits", prefix)
	}
	return Format{prefix}, nil
}

// Prefix returns what every token begins with.
func (f Format) Prefix() string { return f.prefix }

// digits is the base62 alphabet of ids, secrets and checksums, in the order of its values.
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isDigit holds true for the bytes of digits.
var isDigit = func() (table [256]bool) {
	for i := range len(digits) {
		table[digits[i]] = true
	}
	return table
}()

// WellFormed reports whether token has the prefix, the length, the alphabet, the environment and the CRC-32 of a
// token. The checksum detects typing errors; it does not authenticate.
func (f Format) WellFormed(token string) bool {
	idStart := len(f.prefix) + envLength
	if len(token) != idStart+tailLength || token[:len(f.prefix)] != f.prefix {
		return false
	}
	if env := token[len(f.prefix):idStart]; env != "_live_" && env != "_test_" {
		return false
	}
	idEnd := idStart + IDLength
	if token[idEnd] != '_' || !base62(token[idStart:idEnd]) || !base62(token[idEnd+1:]) {
		return false
	}
	secretEnd := len(token) - checksumLength
	sum := crc32.ChecksumIEEE([]byte(token[:secretEnd]))
	for i := len(token) - 1; i >= secretEnd; i-- {
		if token[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// ID returns the public part of a well-formed token, which identifies it.
func ID(token string) string {
	start := len(token) - tailLength
	return token[start : start+IDLength]
}

func base62(s string) bool {
	for i := range len(s) {
		if !isDigit[s[i]] {
			return false
		}
	}
	return true
}
