package endpoints

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-kit/kit/endpoint"
)

// PermissionError says that the caller's token lacks the permission of an
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

func permitting(needs Permission) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			if held := request.(Request).Permissions; !slices.Contains(held, string(needs)) {
				return nil, &PermissionError{Needs: needs, Held: held}
			}
			return next(ctx, request)
		}
	}
}
