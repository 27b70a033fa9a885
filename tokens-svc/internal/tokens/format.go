package tokens

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
)

// A token's text is
//
//	shpt_<environment>_<id>_<secret><checksum>
//
// textLen characters of [0-9A-Za-z_], which a double click selects as one word.
const (
	prefix      = "shpt_"
	idPrefix    = "tok_"
	envLen      = 4
	idLen       = 12
	secretLen   = 32 // 190 bits: not to be guessed
	checksumLen = 6  // the 32 bits of a CRC in base62

	idStart     = len(prefix) + envLen + len("_")
	secretStart = idStart + idLen + len("_")
	sumStart    = secretStart + secretLen
	textLen     = sumStart + checksumLen
)

// Environment separates live tokens from test tokens. Both work
// alike; it is part of the text so that people and scanners see which is which.
type Environment string

// The environments.
const (
	Live Environment = "live"
	Test Environment = "test"
)

// ErrMalformed means that a text is no token at all. Errors that wrap it say
// the fault and never repeat the text.
var ErrMalformed = errors.New("not an API token")

// Valid reports whether id is like those that Generate makes.
func (id TokenID) Valid() bool {
	return idForm.MatchString(string(id))
}

// The forms of ids and of texts.
var (
	idForm   = regexp.MustCompile(`^tok_[0-9A-Za-z]{12}$`)
	textForm = regexp.MustCompile(`^shpt_(live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$`)
)

// Generate makes a new token. Every id and every secret is equally likely.
func Generate(env Environment) Secret {
	body := prefix + string(env) + "_" + randomBase62(idLen) + "_" + randomBase62(secretLen)
	sum := checksum(body)
	return newSecret(body + string(sum[:]))
}

// Parse reads a token. It accepts exactly the results of Generate; anything
// else gives an error that wraps ErrMalformed.
//
// The checksum detects typing errors, cut-off copies and look-alikes without a
// database query. It is not a secret: anyone can compute it.
func Parse(text string) (Secret, error) {
	switch {
	case !strings.HasPrefix(text, prefix):
		return Secret{}, fmt.Errorf("%w: it does not begin with %s", ErrMalformed, prefix)
	case len(text) != textLen:
		return Secret{}, fmt.Errorf("%w: it has %d characters, not %d", ErrMalformed, len(text), textLen)
	case !textForm.MatchString(text):
		return Secret{}, fmt.Errorf("%w: its parts are not those of a token", ErrMalformed)
	}
	if sum := checksum(text[:sumStart]); text[sumStart:] != string(sum[:]) {
		return Secret{}, fmt.Errorf("%w: its checksum does not fit, so it was mistyped or cut", ErrMalformed)
	}
	return newSecret(text), nil
}

// checksum is the CRC-32 (IEEE) of body in base62, padded on the left.
func checksum(body string) (sum [checksumLen]byte) {
	n := crc32.ChecksumIEEE([]byte(body))
	for i := checksumLen - 1; i >= 0; i-- {
		sum[i] = base62[n%uint32(len(base62))]
		n /= uint32(len(base62))
	}
	return sum
}

// base62 is the alphabet of ids, secrets and checksums, in the order of ASCII.
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomBase62 returns n characters of which each is equally likely.
func randomBase62(n int) string {
	text := make([]byte, n)
	for i := range text {
		digit, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // rand.Reader never fails
		text[i] = base62[digit.Int64()]
	}
	return string(text)
}
