package endpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// ErrNotGood says that the token that asks is not, or no longer, good. The
// gateway knows a moment later; here nothing is told to it even in that moment.
var ErrInvalidToken = errors.New("the token is not valid")

// Need is the permission that an operation needs.
type Need tokens.Permission

// What operations here need: any good token may ask about itself.
const (
	NeedsAny   Need = ""
	NeedsAdmin Need = Need(tokens.Admin)
)

// PermissionError says that the token that asks does not hold what the
// operation needs.
type PermissionError struct {
	Needs Need
	Held  []tokens.Permission
}

// Error implements error. It tells the caller what to ask for.
func (e *PermissionError) Error() string {
	held := make([]string, len(e.Held))
	for i, p := range e.Held {
		held[i] = string(p)
	}
	return fmt.Sprintf("this needs %s; the token has %s", e.Needs, cmp.Or(strings.Join(held, " "), "no permission"))
}

// Caller is who asks, as the gateway says.
type Caller struct {
	Partition   tokens.OrgID // whose data the token works with; see tokens.Token
	Token       tokens.TokenID
	Permissions []tokens.Permission
	Address     netip.Addr // of the client; zero: not known
	RequestID   string
}

// Asker is a caller who may ask: a good token, and what it may do.
type Principal struct {
	tokens.Principal
	Organization tokens.OrgID
	Token        tokens.Token
}

// Admission is what there is to know of callers.
type Admission interface {
	Caller(ctx context.Context, partition tokens.OrgID, id tokens.TokenID) (tokens.Token, error)
	Now() time.Time
}

// admit lets in good tokens that hold what is needed: both now, as stored and
// as their owner's role allows, and when the gateway asked. One that is unknown, or of another organization than
// the gateway said, is refused like a revoked one: then the gateway and this
// program disagree, and the answer to that is no.
func admit(ctx context.Context, c Config, s Admission, caller Caller, needs Need) (Principal, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	t, err := s.Caller(ctx, caller.Partition, caller.Token)
	if _, altered := errors.AsType[*tokens.BoundsError](err); altered || errors.Is(err, tokens.ErrNotFound) {
		return Principal{}, fmt.Errorf("%w: %w", ErrInvalidToken, err)
	}
	if err != nil {
		return Principal{}, err
	}
	if status := t.Status(s.Now()); status != tokens.StatusActive {
		return Principal{}, fmt.Errorf("%w: %s", ErrInvalidToken, status)
	}
	held := slices.DeleteFunc(t.Effective(), func(p tokens.Permission) bool {
		return !slices.Contains(caller.Permissions, p)
	})
	if needs != NeedsAny && !slices.Contains(held, tokens.Permission(needs)) {
		return Principal{}, &PermissionError{Needs: needs, Held: held}
	}
	actor := audit.Actor{
		Kind: audit.Token, ID: string(t.ID), Name: t.Name, Address: caller.Address, RequestID: caller.RequestID,
	}
	return Principal{Principal: tokens.Bearer(actor, t, held), Organization: t.Organization.ID, Token: t}, nil
}
