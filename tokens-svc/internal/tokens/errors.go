package tokens

import (
	"errors"
	"fmt"
)

// Errors other than of input. Test with errors.Is.
var (
	// ErrNotFound means that there is no such organization, or no such token in
	// that organization. A token of another organization is not found either.
	ErrNotFound = errors.New("not found")
	// ErrExists means that the identifier is taken.
	ErrExists = errors.New("exists already")
	// ErrChanged means that the object is no longer in the version that the change is based on.
	ErrChanged = errors.New("was changed meanwhile")
	// ErrForbidden means that the principal lacks the right.
	ErrForbidden = errors.New("not allowed")
	// ErrUnavailable means that the storage is unavailable; the same call may succeed later.
	ErrUnavailable = errors.New("the token store is not available")
)

// ForbiddenError is ErrForbidden with the refused operation, for the client.
type ForbiddenError struct{ Detail string }

// Error implements error.
func (e *ForbiddenError) Error() string { return e.Detail }

// Is makes it ErrForbidden.
func (e *ForbiddenError) Is(target error) bool { return target == ErrForbidden }

// StateError reports that a token is no longer in a state in which the operation can be done to it. Nothing was done.
type StateError struct {
	ID     TokenID
	Status Status
	// Successor is the token that took its place, or "" if it was not rotated.
	Successor TokenID
}

// Rotated reports whether another token took its place.
func (e *StateError) Rotated() bool { return e.Successor != "" }

// Error implements error.
func (e *StateError) Error() string {
	if e.Rotated() {
		return fmt.Sprintf("token %s was rotated already; its successor is %s", e.ID, e.Successor)
	}
	return fmt.Sprintf("token %s is %s", e.ID, e.Status)
}

// PepperError means that a token cannot be checked because its digest is under a
// pepper that is not loaded. It is an ErrUnavailable: the token may be good.
type PepperError struct {
	ID      TokenID
	Version int
}

// Error implements error.
func (e *PepperError) Error() string {
	return fmt.Sprintf("token %s needs pepper version %d, which TOKEN_PEPPERS does not hold", e.ID, e.Version)
}

// Unwrap returns ErrUnavailable.
func (e *PepperError) Unwrap() error { return ErrUnavailable }
