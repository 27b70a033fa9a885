package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
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
	body         *idempotency.Body // which decoded has read
}

// keyed returns the principal with the request's idempotency key, if it has one. The key belongs to the caller's
// partition, so those of test and live tokens are apart, and to the subject, the token that the request is about.
func (c call) keyed(now time.Time, subject ...string) tokens.Principal {
	if c.key == "" {
		return c.Principal
	}
	parts := append([]string{string(c.token.Partition()), c.operation, c.key}, subject...)
	return c.WithKey(tokens.NewKey(c.body.Fingerprint(), now, parts...)) // byte for byte
}

type callKey struct{}

// callFrom returns the call that authorized has put into a context.
func callFrom(ctx context.Context) call { return ctx.Value(callKey{}).(call) }

// authorized is the middleware of the endpoints that tokens call, through a gateway: it lets valid ones with the
// permission through.
func authorized(s *tokens.Service, timeout time.Duration, needs tokens.Permission) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			r := request.(*http.Request)
			c, err := admit(ctx, timeout, s, r, needs)
			if err != nil {
				return nil, err
			}
			c.operation, c.target = r.Method+" "+r.URL.EscapedPath(), tokens.TokenID(r.PathValue("id"))
			if r.Method == http.MethodPost {
				if c.key, err = idempotency.Key(r); err != nil {
					return nil, err
				}
			}
			if c.target != "" && !c.target.Valid() {
				return nil, tokens.ErrNotFound
			}
			c.body = idempotency.HashBody(r)
			return next(context.WithValue(ctx, callKey{}, c), request)
		}
	}
}

// decoded is the middleware that decodes the request, once it may be read.
func decoded(decode kithttp.DecodeRequestFunc) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			request, err := decode(ctx, request.(*http.Request))
			if err != nil {
				return nil, err
			}
			return next(ctx, request)
		}
	}
}

// limited is the middleware that bounds the time of a call. That of a slow client, before, does not count.
func limited(timeout time.Duration) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return next(ctx, request)
		}
	}
}

// anyToken stands for no permission, of an operation for every valid token.
const anyToken tokens.Permission = ""

// headerAddress carries the client's address, as the gateway found it out.
const headerAddress = "X-Client-Address"

// admit authorizes valid tokens that hold the permission: both now, as stored and as their owner's role allows, and in
// the gateway's assertion. A token that is unknown, or of another organization than the gateway asserts, is refused
// like a revoked one: then the gateway and this program disagree.
func admit(
	ctx context.Context, timeout time.Duration, s *tokens.Service, r *http.Request, needs tokens.Permission,
) (call, error) {
	id, err := assertion.FromHeader(r.Header)
	if err != nil {
		return call{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
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
	from, _ := netip.ParseAddr(r.Header.Get(headerAddress)) // for the audit log; without it the address is not known
	actor := audit.Actor{
		Kind: audit.Token, ID: string(t.ID), Name: t.Name, Address: audit.Address{Addr: address.Canonical(from)},
		RequestID: requestid.Of(r),
	}
	return call{Principal: s.Permissions().Bearer(actor, t, held), organization: t.Organization.ID, token: t}, nil
}
