package endpoints

import (
	"fmt"
	"strings"
)

// PermissionError means that the caller's token lacks the permission of an
// operation.
type PermissionError struct {
	Needs Permission
	Held  []string
}

// Error implements error. It names the missing permission.
func (e *PermissionError) Error() string {
	held := "no permission"
	if len(e.Held) > 0 {
		held = strings.Join(e.Held, " ")
	}
	return fmt.Sprintf("this needs %s; the token has %s", e.Needs, held)
}
