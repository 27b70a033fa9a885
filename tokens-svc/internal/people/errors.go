package people

import (
	"errors"
	"fmt"
	"time"
)

// What can go wrong, beside tokens.ErrNotFound, tokens.ErrUnavailable,
// tokens.ErrExists and a tokens.ValidationError. Test with errors.Is.
var (
	// ErrRefused says that e-mail address and password do not fit, or that the
	// account has no password; never which.
	ErrRefused = errors.New("the e-mail address or the password is wrong")
	// ErrCode says that there is no such invitation for that address, or no
	// longer.
	ErrCode = errors.New("the invitation is not good, or no longer")
	// ErrUnverified says that the issuer has not verified the e-mail address.
	ErrUnverified = errors.New("the issuer has not verified the e-mail address")
	// ErrNotInvited says that whom the issuer knows is not expected here.
	ErrNotInvited = errors.New("nobody invited this e-mail address")
	// ErrForbidden says that the role does not allow it.
	ErrForbidden = errors.New("the role does not allow this")
	// ErrLastOwner says that an organization would be left without an owner.
	ErrLastOwner = errors.New("an organization needs an owner")
)

// ThrottledError says that somebody tried to sign in too often. Nothing was
// looked at.
type ThrottledError struct {
	RetryAfter time.Duration // more than zero, whole seconds
}

// Error implements error.
func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many attempts; try again in %s", e.RetryAfter)
}
