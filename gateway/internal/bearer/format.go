package bearer

import "hash/crc32"

// IDLength is the length of the id in a token.
const IDLength = 12

// The layout of a token, shpt_<env>_<id>_<secret><checksum>, as byte offsets.
const (
	prefixLength = len("shpt_live_")
	idEnd        = prefixLength + IDLength
	secretStart  = idEnd + 1
	secretEnd    = secretStart + 32
	tokenLength  = secretEnd + 6
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

// WellFormed reports whether token has the length, the alphabet, the environment and the CRC-32 of a
// token. The checksum finds typing errors; it proves nothing about who made the token. It does not
// allocate.
func WellFormed(token string) bool {
	if len(token) != tokenLength || token[idEnd] != '_' {
		return false
	}
	if prefix := token[:prefixLength]; prefix != "shpt_live_" && prefix != "shpt_test_" {
		return false
	}
	if !base62(token[prefixLength:idEnd]) || !base62(token[secretStart:]) {
		return false
	}

	sum := checksum(token[:secretEnd])
	for i := tokenLength - 1; i >= secretEnd; i-- {
		if token[i] != digits[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// ID returns the public part of a well-formed token that tells it from all others.
func ID(token string) string {
	return token[prefixLength:idEnd]
}

// checksum is crc32.ChecksumIEEE for a string: that one takes a slice, which would have to be allocated
// because it escapes into the processor-specific implementations.
func checksum(s string) uint32 {
	sum := ^uint32(0)
	for i := range len(s) {
		sum = crc32.IEEETable[byte(sum&0xff)^s[i]] ^ (sum >> 8)
	}
	return ^sum
}

func base62(s string) bool {
	for i := range len(s) {
		if !isDigit[s[i]] {
			return false
		}
	}
	return true
}
