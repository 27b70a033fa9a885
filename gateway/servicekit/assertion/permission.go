package assertion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// PermissionError means that a principal lacks the permission of an operation.
type PermissionError struct {
	Needs string
	Held  []string
}

// Require returns a PermissionError unless held has the permission.
func Require(permission string, held []string) error {
	if slices.Contains(held, permission) {
		return nil
	}
	return &PermissionError{permission, held}
}

// Error implements error. It names the missing permission.
func (e *PermissionError) Error() string {
	return fmt.Sprintf("this needs %s; the token has %s", e.Needs, cmp.Or(strings.Join(e.Held, " "), "no permission"))
}

// Challenge is the WWW-Authenticate of the response (RFC 6750, section 3).
func (e *PermissionError) Challenge(realm string) string {
	return fmt.Sprintf(`Bearer realm=%q, error="insufficient_scope", scope=%q`, realm, e.Needs)
}
