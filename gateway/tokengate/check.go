package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
)

// credential is the token of a request, and what is known of it without a call.
type credential struct {
	text string
	err  error // bearer's; nil: text is a well-formed token
	// token is what is remembered of it; usable: that may be used without introspection.
	token  *introspect.Result
	usable bool
}

// read reads the token in the values of an Authorization header, and looks it up in memory.
func (g *Gate) read(authorization []string) (c credential) {
	if c.text, c.err = bearer.Read(authorization); c.err == nil {
		c.token, c.usable = g.tokens.Cached(c.text)
	}
	return c
}

// wasActive reports whether the token was active when it was last introspected, however long ago.
func (c credential) wasActive() bool { return c.token != nil && c.token.Active }

// isKnown reports whether the token is certainly active.
func (c credential) isKnown() bool { return c.usable && c.wasActive() }

// check decides about a request that needs a token, which began at that time, from the token's text to the token's
// window. Its order of steps is the security of the product.
func (g *Gate) check(ctx context.Context, caller netip.Addr, c credential, began time.Time) verdict {
	switch {
	case errors.Is(c.err, bearer.ErrMissing):
		return g.chargeAddress(ctx, caller, noTokenWindow, &missingToken)
	case c.err != nil:
		return g.chargeAddress(ctx, caller, noTokenWindow, &malformedToken)
	}

	token, source := c.token, "cache"
	if !c.usable {
		// A token that was active does not pay for others at its address.
		if token == nil {
			if v := g.checkAddress(caller, invalidTokenWindow); v.refused != nil {
				return v
			}
		}
		token, source = g.introspect(ctx, c.text)
	}
	introspectionSeconds.WithLabelValues(source).Observe(time.Since(began).Seconds())

	v := g.judge(ctx, caller, token)
	v.presented = token
	return v
}

// judge decides about a request by what is known of its token; nil: nothing can be known now.
func (g *Gate) judge(ctx context.Context, caller netip.Addr, token *introspect.Result) verdict {
	switch {
	case token == nil:
		return g.unavailable(caller, invalidTokenWindow, &authUnavailable)
	case token.Active && !token.Admits(caller):
		// The token is not valid from there. The caller's address is charged, so that a stolen token cannot be used
		// to spend its owner's requests.
		return g.chargeAddress(ctx, caller, invalidTokenWindow, &addressNotAllowed)
	case token.Active:
		return g.charge(ctx, token)
	case token.Reason == "revoked":
		return g.chargeAddress(ctx, caller, invalidTokenWindow, &revokedToken)
	case token.Reason == "expired":
		return g.chargeAddress(ctx, caller, invalidTokenWindow, &expiredToken)
	default:
		return g.chargeAddress(ctx, caller, invalidTokenWindow, &invalidToken)
	}
}

// introspect calls the tokens service, and returns the result with its source. It is nil without a response and without
// a stale result.
func (g *Gate) introspect(ctx context.Context, text string) (token *introspect.Result, source string) {
	token, err := g.tokens.Introspect(ctx, text)
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outage.Note(err)
	}
	switch {
	case token == nil:
		return nil, "fault"
	case err != nil:
		return token, "unconfirmed"
	default:
		return token, "service"
	}
}

// charge counts the request against the window of the token's lineage.
func (g *Gate) charge(ctx context.Context, token *introspect.Result) verdict {
	_, span := spans.Child(ctx, "count", trace.SpanKindInternal)
	result, err := g.windows.Take(ctx, ratelimit.Window{
		Policy: tokenPolicy, ID: token.Lineage, Limit: token.Limit, Length: token.Window,
	})
	span.End()
	decided(result, err)
	v := verdict{window: result, token: token}
	if err != nil {
		v.refused = &limiterUnavailable
		return v
	}
	if !result.Allowed {
		v.refused = rateLimited.until(v.window)
	}
	return v
}

// identify sets the headers and the assertions that identify the principal. The headers have net/http's spelling.
func (g *Gate) identify(r *http.Request, token *introspect.Result) {
	r.Header["X-Organization-Id"] = []string{token.OrganizationID}
	r.Header["X-Token-Id"] = []string{token.TokenID}
	r.Header["X-Token-Permissions"] = []string{token.Permissions}
	g.setAssertions(r, identity.Caller{
		Subject: token.TokenID, OrganizationID: token.OrganizationID, Permissions: token.Permissions,
	})
}
