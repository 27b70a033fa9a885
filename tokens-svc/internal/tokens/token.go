// Package tokens is the authority on organizations and their API tokens: their
// format, storage, permissions and validity.
//
// Guarantees:
//
//   - A token's secret exists once, in the result of Create. Nothing stores
//     it, and its type Secret does not print it by
//     accident: see Secret.Reveal.
//
//   - The stored value verifies a token but cannot create one: an HMAC under a pepper
//     that the database does not hold. See Peppers.
//
//   - The reason for a refusal is disclosed only to a caller that presents
//     the right one; guesses all look alike, in content and in work done.
//
//   - Every operation names the organization it acts for (OrgID), so that no
//     caller can omit it. Looking a token up by the token itself is the one
//     exception: it returns the organization.
//
//   - Every change names its principal, is refused if it is
//     not allowed, and happens together with its event in the audit log and its
//     revision in the stream of changes, or not at all.
//
// The package imports the standard library and internal/audit only. Storage is
// a Repository, which internal/postgres implements.
package tokens

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// OrgID identifies an organization: "org_" and 26 characters, made and checked
// by servicekit/api/publicid.
type OrgID string

// TokenID identifies a token: "tok_" and 12 base62 characters, which also stand
// in the token's text. It is public.
type TokenID string

// Organization is the tenant that tokens belong to.
type Organization struct {
	ID        OrgID     `json:"id"` // begins with org_0: see Token.Partition
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"-"` // UTC, whole milliseconds
}

// Token is all that is known of an API token, apart from its secret. Its times
// are UTC, in whole milliseconds.
type Token struct {
	ID           TokenID
	Organization Organization
	Name         string // for display; need not be unique
	Environment  Environment
	Permissions  []Permission   // as granted, sorted; Catalogue.Expand adds implied ones
	IPAllow      []netip.Prefix // where it may be used from, sorted; empty: anywhere
	RateLimit    RateLimit
	// CreatedBy is the creator: kind, id and the name at that time. A
	// successor has that of the token whose place it takes.
	CreatedBy audit.Actor
	Owner     Owner   // whose role bounds it; see Effective
	Lineage   TokenID // the first token of its chain of rotations, perhaps itself
	CreatedAt time.Time
	ExpiresAt time.Time // a whole second, except of tokens from earlier versions; zero: never
	RevokedAt time.Time // zero: not revoked
	// RevokedReason is the reason given at revocation; may be empty.
	RevokedReason string
	RotatedFrom   TokenID     // whose place it took, or ""
	RotatedBy     audit.Actor // who rotated that: kind, id and the name at that time
	RotatedTo     TokenID     // the successor, or ""
	// Revision grows with each change of any token, in the order in which the
	// changes were committed.
	Revision int64
}

// RateLimit is how many requests a token may make in each window.
type RateLimit struct {
	Limit         int `json:"limit"`
	WindowSeconds int `json:"window_seconds"`
}

// DefaultRateLimit is the documented limit: 100 requests a minute.
var DefaultRateLimit = RateLimit{Limit: 100, WindowSeconds: 60}

// Status is the state of a token.
type Status string

// The statuses. A token that was revoked stays so when its expiry passes.
const (
	StatusActive  Status = "active"
	StatusExpired Status = "expired"
	StatusRevoked Status = "revoked"
)

// Status returns the token's status at the given time. A token is expired from
// the very instant of ExpiresAt on.
func (t Token) Status(now time.Time) Status {
	switch {
	case !t.RevokedAt.IsZero():
		return StatusRevoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return StatusExpired
	default:
		return StatusActive
	}
}

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
	// ErrUnavailable means that the storage is unavailable; the same call
	// may succeed later.
	ErrUnavailable = errors.New("the token store is not available")
)

// ForbiddenError is ErrForbidden with the refused operation, for the client.
type ForbiddenError struct{ Detail string }

// Error implements error.
func (e *ForbiddenError) Error() string { return e.Detail }

// Is makes it ErrForbidden.
func (e *ForbiddenError) Is(target error) bool { return target == ErrForbidden }

// StateError reports that a token is no longer in a state in which the operation
// can be done to it. Nothing was done.
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
