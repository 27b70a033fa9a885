package tokens

import (
	"fmt"
	"io"
	"regexp"
)

// Secret is the whole text of a token. Printed, logged or marshalled in any
// way it shows only its public part, "shpt_live_4fZyo82mVyR1_…"; the text
// itself comes out of Reveal alone, so a search for that name finds every
// place where a token can leave the program.
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
