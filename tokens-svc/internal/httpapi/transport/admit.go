package transport

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// call is an authorized request: of a valid token, with its rights.
type call struct {
	tokens.Principal
	organization tokens.OrgID
	token        tokens.Token
	target       tokens.TokenID    // in the path; "": the route has none
	operation    string            // method and path
	key          string            // Idempotency-Key; "": none
	fingerprint  [sha256.Size]byte // of the body
}

// keyed returns the principal with the request's idempotency key, if it has one. The key
// belongs to the caller's partition, so those of test and live tokens are apart, and
// to the subject, the token that the request is about.
func (c call) keyed(now time.Time, subject ...string) tokens.Principal {
	if c.key == "" {
		return c.Principal
	}
	parts := append([]string{string(c.token.Partition()), c.operation, c.key}, subject...)
	return c.WithKey(tokens.NewKey(c.fingerprint, now, parts...))
}

// forTokens returns the endpoint of a method that a token calls, through a gateway.
func forTokens[Req any](
	c Config, s *tokens.Service, needs tokens.Permission,
	read func(*http.Request) (Req, error), method func(context.Context, call, Req) (reply, error),
) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		r := request.(*http.Request)
		caller, err := admit(ctx, c, s, r, needs)
		if err != nil {
			return nil, err
		}
		caller.operation, caller.target = r.Method+" "+r.URL.EscapedPath(), tokens.TokenID(r.PathValue("id"))
		if r.Method == http.MethodPost {
			if caller.key, err = idempotency.Key(r); err != nil {
				return nil, err
			}
		}
		if caller.target != "" && !caller.target.Valid() {
			return nil, tokens.ErrNotFound
		}
		body := idempotency.HashBody(r)
		value, err := read(r)
		if err != nil {
			return nil, err
		}
		caller.fingerprint = body.Fingerprint() // byte for byte
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		return method(ctx, caller, value)
	}
}

// anyToken stands for no permission, of an operation for every valid token.
const anyToken tokens.Permission = ""

// headerAddress carries the client's address, as the gateway found it out.
const headerAddress = "X-Client-Address"

// admit authorizes valid tokens that hold the permission: both now, as stored and
// as their owner's role allows, and in the gateway's assertion. A token that is
// unknown, or of another organization than the gateway asserts, is refused like a
// revoked one: then the gateway and this program disagree.
func admit(
	ctx context.Context, c Config, s *tokens.Service, r *http.Request, needs tokens.Permission,
) (call, error) {
	id, err := assertion.FromHeader(r.Header)
	if err != nil {
		return call{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	t, err := s.Find(ctx, tokens.TokenID(id.Token))
	if errors.Is(err, tokens.ErrNotFound) || err == nil && string(t.Partition()) != id.Organization {
		return call{}, fmt.Errorf("%w: there is no token %s in %s", tokens.ErrInvalidToken, id.Token, id.Organization)
	}
	if err != nil {
		return call{}, err
	}
	if status := t.Status(s.Now()); status != tokens.StatusActive {
		return call{}, fmt.Errorf("%w: %s", tokens.ErrInvalidToken, status)
	}
	held := slices.DeleteFunc(s.Permissions().Effective(t), func(p tokens.Permission) bool {
		return !slices.Contains(id.Permissions, string(p))
	})
	if needs != anyToken {
		if err := assertion.Require(string(needs), tokens.Texts(held)); err != nil {
			return call{}, err
		}
	}
	address, _ := netip.ParseAddr(r.Header.Get(headerAddress)) // for the audit log; without it the address is not known
	actor := audit.Actor{
		Kind: audit.Token, ID: string(t.ID), Name: t.Name, Address: audit.Address{Addr: address.Unmap().WithZone("")},
		RequestID: requestid.Of(r),
	}
	return call{Principal: s.Permissions().Bearer(actor, t, held), organization: t.Organization.ID, token: t}, nil
}
