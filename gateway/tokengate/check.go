package tokengate

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/bearer"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/tracing"
)

// check takes the steps from the token's text to the token's window, in the only order there is. It
// returns the window that the answer tells of, the token once it is known to be active and usable from
// the caller's address, and nil or why the request goes no further.
func (g *Gate) check(ctx context.Context, caller netip.Addr, authorization []string) (windowState, *introspect.Answer, *problem) {
	text, err := bearer.Read(authorization)
	if err != nil {
		return g.rejectUnread(ctx, caller, err)
	}

	token, usable := g.cached(text)
	if !usable {
		window, err := g.peekAddress(ctx, caller)
		switch {
		case token != nil, g.enforced.shadow:
			// A token that was active a minute ago does not pay for others at its address.
		case err != nil:
			return window, nil, &limiterUnavailable
		case !window.Allowed:
			return window, nil, limitReached(window)
		}
		if token = g.ask(ctx, text); token == nil {
			return window, nil, &authUnavailable
		}
	}

	switch {
	case token.Active && !token.Admits(caller):
		// From there the token is not valid. It is the caller's address that pays, so that whoever
		// found a token cannot spend its owner's requests with it.
		return g.reject(ctx, caller, wrongAddress)
	case token.Active:
		return g.charge(ctx, caller, token)
	case token.Reason == "revoked":
		return g.reject(ctx, caller, revokedToken)
	case token.Reason == "expired":
		return g.reject(ctx, caller, expiredToken)
	default:
		return g.reject(ctx, caller, invalidToken)
	}
}

// charge counts the request against the token's window, and for the report of what the token is used for.
func (g *Gate) charge(ctx context.Context, caller netip.Addr, token *introspect.Answer) (windowState, *introspect.Answer, *problem) {
	quota := ratelimit.Quota{Limit: token.Limit, Window: token.Window}
	_, span := tracing.Child(ctx, "count", trace.SpanKindInternal)
	result, err := g.windows.Take(ctx, token.TokenID, quota)
	span.End()
	g.decided(tokenWindow, result, err)
	window := windowState{tokenWindow, result}
	switch {
	case err != nil && !g.enforced.shadow:
		return window, token, &limiterUnavailable
	case g.enforced.stops(result, err):
		g.usage.Refused(token.TokenID, caller)
		return window, token, limitReached(window)
	default:
		g.usage.Passed(token.TokenID, caller)
		return window, token, nil
	}
}

// rejectUnread refuses a request whose token could not be read, because of err. Nobody had to be asked for that,
// so neither is Redis for each of many.
func (g *Gate) rejectUnread(ctx context.Context, caller netip.Addr, err error) (windowState, *introspect.Answer, *problem) {
	p := invalidToken
	if errors.Is(err, bearer.ErrMissing) {
		p = missingToken
	}
	result, err := g.windows.TakeLate(ctx, ratelimit.AddressID(addressWindow, caller), addressQuota)
	return g.rejected(result, err, p)
}

// reject charges a request without a valid token to its address and refuses it with p. Refusing needs
// nobody's help, so it goes on when it cannot be counted.
func (g *Gate) reject(ctx context.Context, caller netip.Addr, p problem) (windowState, *introspect.Answer, *problem) {
	result, err := g.windows.Take(ctx, ratelimit.AddressID(addressWindow, caller), addressQuota)
	return g.rejected(result, err, p)
}

// rejected refuses a request that its address was charged for with this result: with p, unless the window is empty.
func (g *Gate) rejected(result ratelimit.Result, err error, p problem) (windowState, *introspect.Answer, *problem) {
	g.decided(addressWindow, result, err)
	window := windowState{addressWindow, result}
	if g.enforced.stops(result, err) {
		return window, nil, limitReached(window)
	}
	return window, nil, &p
}

// peekAddress reads the window of the caller's address without charging it.
func (g *Gate) peekAddress(ctx context.Context, caller netip.Addr) (windowState, error) {
	result, err := g.windows.Peek(ctx, ratelimit.AddressID(addressWindow, caller), addressQuota)
	return windowState{addressWindow, result}, err
}

// cached looks the token up in memory, and reports whether the answer may be used as it is.
func (g *Gate) cached(text string) (token *introspect.Answer, usable bool) {
	start := time.Now()
	token, usable = g.tokens.Cached(text)
	if usable {
		cachedSeconds.Observe(time.Since(start).Seconds())
	}
	return token, usable
}

// ask asks the tokens service. It returns nil when that, and what is remembered, give no answer.
func (g *Gate) ask(ctx context.Context, text string) *introspect.Answer {
	start := time.Now()
	token, err := g.tokens.Ask(ctx, text)
	source := "service"
	switch {
	case token == nil:
		source = "fault"
	case err != nil:
		source = "unconfirmed"
	}
	introspectionSeconds.WithLabelValues(source).Observe(time.Since(start).Seconds())
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outages.asked(err)
	}
	return token
}

// decided notes what became of a request that was to be counted.
func (g *Gate) decided(window string, result ratelimit.Result, err error) {
	made := decision{window, "refused", string(result.Source)}
	switch {
	case errors.Is(err, ratelimit.ErrUnavailable):
		made.decision = "unavailable"
	case err != nil:
		made.decision = "abandoned"
	case result.Allowed:
		made.decision = "allowed"
	case g.enforced.shadow:
		made.decision = "shadowed"
	}
	decisions.of(made).Inc()
}

// limitReached is the answer of an empty window.
func limitReached(window windowState) *problem {
	p := rateLimited
	p.retryAfter = window.secondsLeft()
	return &p
}
