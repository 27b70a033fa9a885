package tokens

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
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

// ErrMalformed means that a text is no token at all. Errors that wrap it say the fault and never repeat the text.
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

// Secret is the whole text of a token. Printed, logged or marshalled in any way it shows only its public part,
// "shpt_live_4fZyo82mVyR1_…"; the text itself comes out of Reveal alone, so a search for that name finds every place
// where a token can leave the program.
//
// The zero Secret is no token.
type Secret struct {
	// A pointer, because fmt prints the unexported fields of an enclosing
	// struct without asking Format; it does not follow pointers there.
	text *string
}

func newSecret(text string) Secret { return Secret{text: &text} }

// Reveal returns the token's text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether s is no token.
func (s Secret) IsZero() bool { return s.text == nil }

// ID returns the public id of the token's row, or "" for the zero Secret.
func (s Secret) ID() TokenID {
	if s.IsZero() {
		return ""
	}
	return TokenID(idPrefix + s.Reveal()[idStart:idStart+idLen])
}

// String returns the public part, as do the methods below.
func (s Secret) String() string {
	if s.IsZero() {
		return "no token"
	}
	return s.Reveal()[:secretStart] + "…"
}

// Format implements fmt.Formatter, so that no verb shows more than String.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText implements encoding.TextMarshaler, which encoding/json and log/slog use.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// tokenLike is anything that begins as a token does, whole or not. The public
// part of a well-formed one is its first group; scrubbing twice changes nothing.
var tokenLike = regexp.MustCompile(`(shpt_(?:(?:live|test)_[0-9A-Za-z]{12}_)?)[0-9A-Za-z_]*…?`)

// Scrub returns text with everything in it that looks like a token cut down to
// its public part. It is for texts that others wrote: a path, an argument.
func Scrub(text string) string { return tokenLike.ReplaceAllString(text, "$1…") }

var _ fmt.Formatter = Secret{}
