package tokens

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// ErrInvalidToken means that the calling token is not, or no longer, valid. The
// gateway learns it a moment later; here it is refused at once.
var ErrInvalidToken = errors.New("the token is not valid")

// Terms are what a change is subject to besides its input.
type Terms struct {
	// Key is the idempotency key of the request; nil: none.
	Key *Key
	// Caller is the calling token, and Person the acting person; "": neither.
	Caller TokenID
	Person string
	// Admit gets what Caller or Person is under the lock that the change takes, and
	// refuses the change with an error. nil where both are "".
	Admit func(Standing) error
}

// Standing is the calling token, or the role of the acting person, and the policy, as stored now.
type Standing struct {
	Token  Token
	Role   Role   // "" for a person who is no member or whose account is disabled
	Policy Policy // of the organization
}

// TooManyError means that a change would exceed the number of active tokens that an
// organization may have. Nothing was done.
type TooManyError struct{ Max int }

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("the organization has %d active tokens, the most it may have; revoke some that are not needed",
		e.Max)
}

// checkActive gives a *TooManyError where the organization may not have one more active token.
func (s *Service) checkActive(ctx context.Context, tx Tx) error {
	if s.maxActive == 0 {
		return nil
	}
	n, err := tx.Active(ctx, s.Now())
	if err == nil && n >= s.maxActive {
		err = &TooManyError{Max: s.maxActive}
	}
	return err
}

// terms returns the terms of a change by a principal, whose rights Admit brings up
// to date: what ended or shrank since the request began counts.
func (s *Service) terms(p *Principal) Terms {
	t := Terms{Key: p.key}
	switch {
	case p.caller != nil:
		t.Caller = p.caller.ID
		t.Admit = func(now Standing) error {
			if status := now.Token.Status(s.Now()); status != StatusActive {
				return fmt.Errorf("%w: %s", ErrInvalidToken, status)
			}
			held := slices.DeleteFunc(s.permissions.Effective(now.Token), func(permission Permission) bool {
				return !slices.Contains(p.grants, permission)
			})
			*p = s.permissions.Bearer(p.Actor, now.Token, held).Under(now.Policy).WithKey(p.key)
			return nil
		}
	case p.Actor.Kind == audit.User:
		t.Person = p.Actor.ID
		t.Admit = func(now Standing) error {
			*p = s.permissions.Person(p.Actor, now.Role).Under(now.Policy).WithKey(p.key)
			return nil
		}
	}
	return t
}

// KeyLifetime is how long an idempotency key is stored.
const KeyLifetime = 24 * time.Hour

// ErrKeyReused means that the idempotency key belongs to a request with another
// body. Nothing was done.
var ErrKeyReused = errors.New("the idempotency key belongs to another request")

// RepeatedError means that a request with the same idempotency key and body took
// effect before. Nothing was done.
type RepeatedError struct{ Token TokenID } // the token that was made, or revoked

// Error implements error.
func (e *RepeatedError) Error() string {
	return fmt.Sprintf("this request was done before and made token %s; a secret is shown once and not stored. "+
		"If it was lost, revoke that token and make another with a new Idempotency-Key", e.Token)
}

// Key is the idempotency key of one request of an organization.
type Key struct {
	Sum         [sha256.Size]byte // names the request
	Fingerprint [sha256.Size]byte // of its body
	At          time.Time         // when it was made
}

// NewKey returns the key of a request that the parts name: among others its
// operation, its path and the text that the client chose. No part may contain a
// NUL.
func NewKey(fingerprint [sha256.Size]byte, at time.Time, parts ...string) *Key {
	return &Key{Sum: sha256.Sum256([]byte(strings.Join(parts, "\x00"))), Fingerprint: fingerprint, At: at}
}

// WithKey returns the principal for a request with an idempotency key. CreateToken,
// RotateToken and RevokeToken then take effect once within KeyLife: repeated, they
// give a *RepeatedError, or ErrKeyReused where the fingerprint is another. A request
// that is refused does not use up its key. nil: no key.
func (p Principal) WithKey(k *Key) Principal {
	p.key = k
	return p
}
