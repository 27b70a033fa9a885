package people

import (
	"errors"
	"fmt"
	"time"
)

// Errors, besides tokens.ErrNotFound, tokens.ErrUnavailable,
// tokens.ErrExists and a tokens.ValidationError. Test with errors.Is.
var (
	// ErrRefused means that e-mail address and password do not fit, or that the
	// account has no password; never which.
	ErrRefused = errors.New("the e-mail address or the password is wrong")
	// ErrCode means that there is no such invitation for that address, or no
	// longer.
	ErrCode = errors.New("the invitation is not good, or no longer")
	// ErrFactor means that a code of an authenticator app, a recovery code or a passkey is not valid.
	ErrFactor = errors.New("the code or the passkey is not valid")
	// ErrUnverified means that the issuer has not verified the e-mail address.
	ErrUnverified = errors.New("the issuer has not verified the e-mail address")
	// ErrAccountUnverified means that an account with that e-mail address exists
	// and cannot join a further organization, because nothing proves that its
	// holder owns the address.
	ErrAccountUnverified = errors.New("an account with this e-mail address exists, but the address is not verified")
	// ErrDisabled means that an operator disabled the account. It is given only to
	// who has proved to be its holder.
	ErrDisabled = errors.New("the account is disabled")
	// ErrLinkedElsewhere means that the account with the e-mail address is linked to
	// another identity at the issuer, as when the address was given to another
	// person there.
	ErrLinkedElsewhere = errors.New("the account with this e-mail address is linked to another identity at the issuer")
	// ErrNotInvited means that a person of the issuer's has no account and no
	// invitation.
	ErrNotInvited = errors.New("this e-mail address has no invitation")
	// ErrForbidden means that the role does not allow it.
	ErrForbidden = errors.New("the role does not allow this")
	// ErrLastOwner means that an organization would be left without an owner.
	ErrLastOwner = errors.New("an organization needs an owner")
)

// ThrottledError reports too many attempts. Nothing was
// looked at.
type ThrottledError struct {
	RetryAfter time.Duration // more than zero, whole seconds
}

// Error implements error.
func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many attempts; try again in %s", e.RetryAfter)
}
