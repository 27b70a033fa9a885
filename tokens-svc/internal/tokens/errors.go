package tokens

import (
	"errors"
	"fmt"
	"strings"
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

// ValidationError lists all faults of an input. Nothing was done.
type ValidationError struct {
	Fields []FieldError
}

// FieldError is a fault of one field.
type FieldError struct {
	Field  string // as it is called in JSON: "expires_at"
	Entry  int    // which entry of a list, counted from 1; 0: the field as a whole
	Code   FaultCode
	Detail string // a sentence without its full stop; ends up on screens
}

// FaultCode names a kind of fault, for programs.
type FaultCode string

// The fault codes of fields.
const (
	Required     FaultCode = "required"      // missing, or nothing but space
	TooLong      FaultCode = "too_long"      // more characters or entries than allowed
	InvalidText  FaultCode = "invalid_text"  // control or bidirectional control characters, not UTF-8, or a secret
	InvalidValue FaultCode = "invalid_value" // not an allowed value
	OutOfRange   FaultCode = "out_of_range"  // a number or time beyond its bounds
)

// Error implements error.
func (e *ValidationError) Error() string {
	texts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		texts[i] = f.Field + ": " + f.Detail
	}
	return strings.Join(texts, "; ")
}

// Add notes one more fault.
func (e *ValidationError) Add(field string, code FaultCode, format string, args ...any) {
	e.addEntry(field, 0, code, format, args...)
}

// addEntry notes a fault of an entry of a list, counted from 1.
func (e *ValidationError) addEntry(field string, entry int, code FaultCode, format string, args ...any) {
	e.Fields = append(e.Fields, FieldError{Field: field, Entry: entry, Code: code, Detail: fmt.Sprintf(format,
		args...)})
}

// OrNil returns e if it holds a fault.
func (e *ValidationError) OrNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
