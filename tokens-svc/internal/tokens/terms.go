package tokens

import (
	"errors"
	"fmt"
	"slices"

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
	// MaxActive is how many tokens of the organization may be active at Now after a
	// change that adds one; 0: any number.
	MaxActive int
}

// Standing is the calling token, or the role of the acting person, as stored now.
type Standing struct {
	Token Token
	Role  Role // "" for a person who is no member or whose account is disabled
}

// TooManyError means that a change would exceed the number of active tokens that an
// organization may have. Nothing was done.
type TooManyError struct{ Max int }

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("the organization has %d active tokens, the most it may have; revoke some that are not needed",
		e.Max)
}

// terms returns the terms of a change by a principal, whose rights Admit brings up
// to date: what ended or shrank since the request began counts.
func (s *Service) terms(p *Principal) Terms {
	t := Terms{Key: p.key, MaxActive: s.maxActive}
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
			*p = s.permissions.Bearer(p.Actor, now.Token, held).WithKey(p.key)
			return nil
		}
	case p.Actor.Kind == audit.User:
		t.Person = p.Actor.ID
		t.Admit = func(now Standing) error {
			*p = s.permissions.Person(p.Actor, now.Role).WithKey(p.key)
			return nil
		}
	}
	return t
}
