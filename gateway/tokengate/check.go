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
	"github.com/quayside/quayside/gateway/internal/telemetry/tracing"
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

// How far check may go.
const (
	// checkFully decides every request.
	checkFully = false
	// checkEarly only refuses: what needs the tokens service, or may pass, stays undecided and uncounted.
	checkEarly = true
)

// check decides about a request that needs a token, from the token's text to the token's window. Its order of steps
// is the security of the product. With checkEarly, decided may be false; then nothing was counted.
func (g *Gate) check(ctx context.Context, caller netip.Addr, authorization []string, early bool) (v verdict, decided bool) {
	text, err := g.tokenFormat.Read(authorization)
	if err != nil {
		return g.refuseUnread(ctx, caller, err), true
	}

	token, usable := g.cached(text, early)
	if !usable {
		if early {
			return verdict{}, false
		}
		// A token that was active a minute ago does not pay for others at its address.
		if token == nil && !g.enforced.shadow {
			release, v := g.reserveAddress(ctx, caller)
			if v.refused != nil {
				return v, true
			}
			defer release()
		}
		if token = g.introspect(ctx, text); token == nil {
			window, _ := g.peekAddress(ctx, caller)
			return verdict{window: window, refused: &authUnavailable}, true
		}
	}

	switch {
	case token.Active && !token.Admits(caller):
		// The token is not valid from there. The caller's address is charged, so that a stolen token cannot be used
		// to spend its owner's requests.
		return g.refuseToken(ctx, caller, addressNotAllowed), true
	case token.Active:
		return g.charge(ctx, caller, token, early)
	case token.Reason == "revoked":
		return g.refuseToken(ctx, caller, revokedToken), true
	case token.Reason == "expired":
		return g.refuseToken(ctx, caller, expiredToken), true
	default:
		return g.refuseToken(ctx, caller, invalidToken), true
	}
}

// charge counts the request against the window of the token's lineage, and as a use of the token. With checkEarly it
// does so only if the window is known to be empty.
func (g *Gate) charge(ctx context.Context, caller netip.Addr, token *introspect.Result, early bool) (v verdict, decided bool) {
	quota := ratelimit.Quota{Limit: token.Limit, Window: token.Window}
	var result ratelimit.Result
	var err error
	if early {
		var spent bool
		if result, spent = g.windows.Exhausted(token.Lineage, quota); !spent || g.enforced.shadow {
			return verdict{}, false
		}
	} else {
		_, span := tracing.Child(ctx, "count", trace.SpanKindInternal)
		result, err = g.windows.Take(ctx, token.Lineage, quota)
		span.End()
	}
	g.decided(tokenWindow, result, err)
	v = verdict{window: windowState{tokenWindow, result}, token: token}
	switch {
	case err != nil && !g.enforced.shadow:
		v.refused = &limiterUnavailable
	case g.enforced.stops(result, err):
		g.usage.Refused(token.TokenID, caller)
		v.refused = rateLimited.until(v.window)
	default:
		g.usage.Passed(token.TokenID, caller)
	}
	return v, true
}

// refuseUnread refuses a request whose token could not be read, because of err. As that takes no call to the tokens
// service, Redis is not called for every request of a flood either.
func (g *Gate) refuseUnread(ctx context.Context, caller netip.Addr, err error) verdict {
	p := invalidToken
	if errors.Is(err, bearer.ErrMissing) {
		p = missingToken
	}
	return g.chargeAddress(ctx, caller, p, g.windows.TakeWriteBehind)
}

// refuseToken charges a request without a valid token to its address and refuses it with p, also when it cannot be
// counted.
func (g *Gate) refuseToken(ctx context.Context, caller netip.Addr, p problem) verdict {
	return g.chargeAddress(ctx, caller, p, g.windows.Take)
}

// chargeAddress charges a request to its address with take and refuses it: with p, unless the window is empty.
func (g *Gate) chargeAddress(
	ctx context.Context, caller netip.Addr, p problem,
	take func(context.Context, string, ratelimit.Quota) (ratelimit.Result, error),
) verdict {
	window, err := countAddress(ctx, addressWindow, caller, addressQuota, take)
	g.decided(addressWindow, window.Result, err)
	if g.enforced.stops(window.Result, err) {
		return verdict{window: window, refused: rateLimited.until(window)}
	}
	return verdict{window: window, refused: &p}
}

// peekAddress reads the window of the caller's address without charging it.
func (g *Gate) peekAddress(ctx context.Context, caller netip.Addr) (windowState, error) {
	return countAddress(ctx, addressWindow, caller, addressQuota, g.windows.Peek)
}

// cached looks the token up in memory, and reports whether the answer may be used as it is. Early look-ups are not
// measured, because the gate repeats most of them.
func (g *Gate) cached(text string, early bool) (token *introspect.Result, usable bool) {
	start := time.Now()
	token, usable = g.tokens.Cached(text)
	if usable && !early {
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
func (g *Gate) decided(window string, result ratelimit.Result, err error) {
	decision := "refused"
	switch {
	case errors.Is(err, ratelimit.ErrUnavailable):
		decision = "unavailable"
	case err != nil:
		decision = "abandoned"
	case result.Allowed:
		decision = "allowed"
	case g.enforced.shadow:
		decision = "shadowed"
	}
	windowDecisionsTotal.WithLabelValues(window, decision, string(result.Source)).Inc()
}
