package endpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// AnyToken stands for no permission, of an operation for every valid token.
const AnyToken tokens.Permission = ""

// PermissionError reports that the calling token lacks the permission that the
// operation needs.
type PermissionError struct {
	Needs tokens.Permission
	Held  []tokens.Permission
}

// Error implements error. The text names the missing permission.
func (e *PermissionError) Error() string {
	return fmt.Sprintf("this needs %s; the token has %s", e.Needs,
		cmp.Or(strings.Join(tokens.Texts(e.Held), " "), "no permission"))
}

// Caller is the caller that the gateway asserts.
type Caller struct {
	Partition   tokens.OrgID // whose data the token works with; see tokens.Token
	Token       tokens.TokenID
	Permissions []tokens.Permission
	Address     netip.Addr // of the client; zero: not known
	RequestID   string
}

// Call is an authorized request: of a valid token, with its rights.
type Call struct {
	tokens.Principal
	Organization tokens.OrgID
	Token        tokens.Token
	Target       tokens.TokenID // in the path; "": the route has none
	Key          *Key           // nil: none
}

// admit authorizes valid tokens that hold the permission: both now, as stored and
// as their owner's role allows, and in the gateway's assertion. A token that is
// unknown, or of another organization than the gateway asserts, is refused like a
// revoked one: then the gateway and this program disagree.
func admit(
	ctx context.Context, c Config, s *tokens.Service, caller Caller, needs tokens.Permission,
) (Call, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	t, err := s.Caller(ctx, caller.Partition, caller.Token)
	if errors.Is(err, tokens.ErrNotFound) {
		return Call{}, fmt.Errorf("%w: %w", tokens.ErrInvalidToken, err)
	}
	if err != nil {
		return Call{}, err
	}
	if status := t.Status(s.Now()); status != tokens.StatusActive {
		return Call{}, fmt.Errorf("%w: %s", tokens.ErrInvalidToken, status)
	}
	held := slices.DeleteFunc(s.Permissions().Effective(t), func(p tokens.Permission) bool {
		return !slices.Contains(caller.Permissions, p)
	})
	if needs != AnyToken && !slices.Contains(held, needs) {
		return Call{}, &PermissionError{Needs: needs, Held: held}
	}
	actor := audit.Actor{
		Kind: audit.Token, ID: string(t.ID), Name: t.Name, Address: caller.Address, RequestID: caller.RequestID,
	}
	return Call{Principal: s.Permissions().Bearer(actor, t, held), Organization: t.Organization.ID, Token: t}, nil
}
