package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// call is a request. One of a token, through a gateway, has its rights.
type call struct {
	tokens.Principal
	request      *http.Request
	organization tokens.OrgID
	token        tokens.Token
	target       tokens.TokenID    // in the path; "": the route has none
	key          string            // Idempotency-Key; "": none
	body         *idempotency.Body // of the request, for the key
}

// keyed returns the principal with the request's idempotency key, if it has one. The key belongs to the caller's
// partition, so those of test and live tokens are apart, and to the subject, the token that the request is about.
func (c *call) keyed(now time.Time, subject ...string) tokens.Principal {
	if c.key == "" {
		return c.Principal
	}
	operation := c.request.Method + " " + c.request.URL.EscapedPath()
	parts := append([]string{string(c.token.Partition()), operation, c.key}, subject...)
	return c.WithKey(tokens.NewKey(c.body.Fingerprint(), now, parts...)) // byte for byte
}

type callKey struct{}

// callFrom returns the call of a context: go-kit gives its error encoder no request.
func callFrom(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// admission decides whether a call is admitted, before anything of its body is read.
type admission func(context.Context, *call) error

// holders admits the calls of valid tokens with a permission.
func holders(s *tokens.Service, timeout time.Duration, needs tokens.Permission) admission {
	return func(ctx context.Context, c *call) (err error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if err := c.authorize(ctx, s, needs); err != nil {
			return err
		}
		if c.request.Method == http.MethodPost {
			if c.key, err = idempotency.Key(c.request); err != nil {
				return err
			}
		}
		c.target = tokens.TokenID(c.request.PathValue("id"))
		if c.target != "" && !c.target.Valid() {
			return tokens.ErrNotFound
		}
		c.body = idempotency.HashBody(c.request)
		return nil
	}
}

// anyToken stands for no permission, of an operation for every valid token.
const anyToken tokens.Permission = ""

// authorize gives the call the rights of its token, which must be valid and hold the permission: both now, as stored
// and as its owner's role allows, and in the gateway's assertion. A token that is unknown, or of another organization
// than the gateway asserts, is refused like a revoked one: then the gateway and this program disagree.
func (c *call) authorize(ctx context.Context, s *tokens.Service, needs tokens.Permission) error {
	id, err := assertion.FromHeader(c.request.Header)
	if err != nil {
		return err
	}
	t, err := s.Find(ctx, tokens.TokenID(id.Token))
	if errors.Is(err, tokens.ErrNotFound) || err == nil && string(t.Partition()) != id.Organization {
		return fmt.Errorf("%w: there is no token %s in %s", tokens.ErrInvalidToken, id.Token, id.Organization)
	}
	if err != nil {
		return err
	}
	if status := t.Status(s.Now()); status != tokens.StatusActive {
		return fmt.Errorf("%w: %s", tokens.ErrInvalidToken, status)
	}
	held := slices.DeleteFunc(s.Permissions().Effective(t), func(p tokens.Permission) bool {
		return !slices.Contains(id.Permissions, string(p))
	})
	if needs != anyToken {
		if err := assertion.Require(string(needs), tokens.Texts(held)); err != nil {
			return err
		}
	}
	from, _ := netip.ParseAddr(c.request.Header.Get(assertion.HeaderClient)) // without it the address is not known
	c.Principal = s.Permissions().Bearer(audit.Actor{
		Kind: audit.Token, ID: string(t.ID), Name: t.Name, Address: audit.Address{Addr: address.Canonical(from)},
		RequestID: requestid.Of(c.request),
	}, t, held)
	c.organization, c.token = t.Organization.ID, t
	return nil
}
