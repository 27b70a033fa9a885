package tokengate

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

// verdict is what [Gate.check] decides about a request.
type verdict struct {
	// window is the one that the response reports.
	window windowState
	// token is set once the token is known to be active and usable from the caller's address.
	token *introspect.Result
	// refused is the response of a refused request; nil lets it pass.
	refused *problem
}

// check decides about a request that needs a token, from the token's text to the token's window. Its order of steps
// is the security of the product.
func (g *Gate) check(ctx context.Context, caller netip.Addr, authorization []string) verdict {
	text, err := bearer.Read(authorization)
	if err != nil {
		return g.refuseUnread(ctx, caller, err)
	}

	token, usable := g.cached(text)
	if !usable {
		// A token that was active a minute ago does not pay for others at its address.
		if token == nil {
			if v := g.checkAddress(ctx, caller); v.refused != nil {
				return v
			}
		}
		if token = g.introspect(ctx, text); token == nil {
			window, _ := g.peekAddress(ctx, caller)
			return verdict{window: window, refused: &authUnavailable}
		}
	}

	switch {
	case token.Active && !token.Admits(caller):
		// The token is not valid from there. The caller's address is charged, so that a stolen token cannot be used
		// to spend its owner's requests.
		return g.refuseToken(ctx, caller, addressNotAllowed)
	case token.Active:
		return g.charge(ctx, caller, token)
	case token.Reason == "revoked":
		return g.refuseToken(ctx, caller, revokedToken)
	case token.Reason == "expired":
		return g.refuseToken(ctx, caller, expiredToken)
	default:
		return g.refuseToken(ctx, caller, invalidToken)
	}
}

// charge counts the request against the window of the token's lineage, and as a use of the token.
func (g *Gate) charge(ctx context.Context, caller netip.Addr, token *introspect.Result) verdict {
	_, span := tracing.Child(ctx, "count", trace.SpanKindInternal)
	result, err := g.windows.Take(ctx, token.Lineage, ratelimit.Quota{Limit: token.Limit, Window: token.Window})
	span.End()
	decided(tokenWindow, result, err)
	v := verdict{window: windowState{tokenWindow, result}, token: token}
	switch {
	case err != nil:
		v.refused = &limiterUnavailable
	case !result.Allowed:
		g.usage.Refused(token.TokenID, caller)
		v.refused = rateLimited.until(v.window)
	default:
		g.usage.Passed(token.TokenID, caller)
	}
	return v
}

// refuseUnread refuses a request whose token could not be read, because of err. As that takes no call to the tokens
// service, it takes none to Redis either: each gateway counts such requests by itself.
func (g *Gate) refuseUnread(ctx context.Context, caller netip.Addr, err error) verdict {
	p := malformedToken
	if errors.Is(err, bearer.ErrMissing) {
		p = missingToken
	}
	return g.chargeAddress(ctx, caller, p, g.windows.TakeLocal)
}

// refuseToken charges a request without a valid token to its address and refuses it with p, also when it cannot be
// counted.
func (g *Gate) refuseToken(ctx context.Context, caller netip.Addr, p problem) verdict {
	return g.chargeAddress(ctx, caller, p, g.windows.Take)
}

// chargeAddress charges a request to its address with take and refuses it: with p, unless the window is empty.
func (g *Gate) chargeAddress(ctx context.Context, caller netip.Addr, p problem, take takeFunc) verdict {
	window, err := countAddress(ctx, addressWindow, caller, addressQuota, take)
	decided(addressWindow, window.Result, err)
	if err == nil && !window.Allowed {
		return verdict{window: window, refused: rateLimited.until(window)}
	}
	return verdict{window: window, refused: &p}
}

// peekAddress reads the window of the caller's address without charging it.
func (g *Gate) peekAddress(ctx context.Context, caller netip.Addr) (windowState, error) {
	return countAddress(ctx, addressWindow, caller, addressQuota, g.windows.Peek)
}

// cached looks the token up in memory, and reports whether the answer may be used as it is.
func (g *Gate) cached(text string) (token *introspect.Result, usable bool) {
	start := time.Now()
	token, usable = g.tokens.Cached(text)
	if usable {
		introspectionSeconds.WithLabelValues("cache").Observe(time.Since(start).Seconds())
	}
	return token, usable
}

// introspect calls the tokens service. It returns nil without a response and without a stale result.
func (g *Gate) introspect(ctx context.Context, text string) *introspect.Result {
	start := time.Now()
	token, err := g.tokens.Introspect(ctx, text)
	source := "service"
	switch {
	case token == nil:
		source = "fault"
	case err != nil:
		source = "unconfirmed"
	}
	introspectionSeconds.WithLabelValues(source).Observe(time.Since(start).Seconds())
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outages.record(err)
	}
	return token
}

// decided counts the decision about a request in the metrics.
func decided(window string, result ratelimit.Result, err error) {
	decision := "refused"
	switch {
	case errors.Is(err, ratelimit.ErrUnavailable):
		decision = "unavailable"
	case err != nil:
		decision = "abandoned"
	case result.Allowed:
		decision = "allowed"
	}
	windowDecisionsTotal.WithLabelValues(window, decision, string(result.Source)).Inc()
}
