// Package credential recognizes gateways by the secret they share with this program.
//
// Several credentials may be good at once, so that one can be replaced without a moment in which gateways are refused.
// A Set keeps digests only: printed or dumped it gives no credential away.
package credential

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
)

// minLen is the least length of a credential in bytes.
const minLen = 32

// Set is the credentials that are good. The zero Set accepts none.
type Set struct{ digests [][sha256.Size]byte }

// Parse reads a list of credentials separated by commas, newest first. Each must have at least 32 characters of visible
// ASCII, as a header can carry. Errors name entries by position and repeat none.
func Parse(text string) (Set, error) {
	var s Set
	var errs []error
	for i, entry := range strings.Split(text, ",") {
		entry = strings.TrimSpace(entry)
		if len(entry) < minLen {
			errs = append(errs, fmt.Errorf("entry %d has %d bytes; at least %d are needed", i+1, len(entry), minLen))
		}
		if strings.ContainsFunc(entry, func(r rune) bool { return r <= ' ' || r > '~' }) {
			errs = append(errs, fmt.Errorf("entry %d has other characters than visible ASCII", i+1))
		}
		s.digests = append(s.digests, sha256.Sum256([]byte(entry)))
	}
	if err := errors.Join(errs...); err != nil {
		return Set{}, err
	}
	return s, nil
}

// Accepts reports whether presented is one of the credentials. How long it takes does not depend on them: digests of
// equal length are compared whole, and all of them always.
func (s Set) Accepts(presented string) bool {
	digest := sha256.Sum256([]byte(presented))
	found := 0
	for _, d := range s.digests {
		found |= subtle.ConstantTimeCompare(digest[:], d[:])
	}
	return found == 1
}
