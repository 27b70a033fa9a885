package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/internal/clients"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// policy is a kind of window.
type policy struct {
	name  string // in RateLimit-Policy, in metrics and, but for the token's and the person's, in Redis
	quota ratelimit.Quota
	// local: each gateway counts by itself, because what is cheap to serve is not worth a call to Redis.
	local bool
}

func perMinute(limit int) ratelimit.Quota { return ratelimit.Quota{Limit: limit, Window: time.Minute} }

const tokenWindow = "token"

// The windows of client addresses, and of people. Each kind of request has its own, with a name of its own, so that
// none can use up another's.
var (
	invalidTokenWindow   = policy{name: "address", quota: perMinute(100)}
	invalidSessionWindow = policy{name: "session", quota: perMinute(100)}
	noTokenWindow        = policy{name: "no-token", quota: perMinute(100), local: true}
	publicWindow         = policy{name: "public", quota: perMinute(600), local: true}
	pageWindow           = policy{name: "page", quota: perMinute(600)}
	signInWindow         = policy{name: "sign-in", quota: perMinute(30)}
	personWindow         = policy{name: "person", quota: perMinute(600)}
)

// networkFactor is how many times the requests of one /64 may come from a /48, which is what many providers give to
// one customer.
const networkFactor = 4

// addressCount is one of the windows that a request is counted in by its address.
type addressCount struct {
	id    string
	quota ratelimit.Quota
}

// countsOf returns the windows that an address is counted in: that of its client and, for IPv6, that of the /48, with
// networkFactor times the requests.
func (p policy) countsOf(addr netip.Addr) []addressCount {
	switch {
	case addr.Is4():
		return []addressCount{{p.name + ":" + addr.String(), p.quota}}
	case addr.Is6():
		wide := ratelimit.Quota{Limit: networkFactor * p.quota.Limit, Window: p.quota.Window}
		return []addressCount{
			{p.name + ":" + clients.Network(addr).String(), p.quota},
			{p.name + ":" + clients.Site(addr).String(), wide},
		}
	default:
		return []addressCount{{p.name + ":unknown", p.quota}}
	}
}

// countAddress calls take for each window that addr is counted in, until one is empty or take fails. It returns the
// window to report: the one that refuses, or else the one with the least left.
func (p policy) countAddress(ctx context.Context, addr netip.Addr,
	take func(ctx context.Context, id string, quota ratelimit.Quota) (ratelimit.Result, error),
) (windowState, error) {
	var shown windowState
	for i, count := range p.countsOf(addr) {
		result, err := take(ctx, count.id, count.quota)
		if i == 0 || err == nil && (!result.Allowed || result.Remaining < shown.Remaining) {
			shown = windowState{p.name, result}
		}
		if err != nil || !result.Allowed {
			return shown, err
		}
	}
	return shown, nil
}

// chargeAddress counts a request in the windows of its address and refuses it with refusal, or because one of them is
// empty. Without a refusal it passes otherwise, also if it cannot be counted.
func (g *Gate) chargeAddress(ctx context.Context, caller netip.Addr, p policy, refusal *problem) verdict {
	take := g.windows.Take
	if p.local {
		take = g.windows.TakeLocal
	}
	window, err := p.countAddress(ctx, caller, take)
	decided(p.name, window.Result, err)
	if err == nil && !window.Allowed {
		refusal = addressLimited.until(window)
	}
	return verdict{window: window, refused: refusal}
}

// checkAddress refuses the introspection of an unknown token or session whose address has a window that this gateway
// knows to be empty. It charges nothing.
func (g *Gate) checkAddress(ctx context.Context, caller netip.Addr, p policy) verdict {
	window, _ := p.countAddress(ctx, caller, g.windows.Peek) // which never fails
	v := verdict{window: window}
	if !window.Allowed {
		v.refused = addressLimited.until(window)
	}
	return v
}

// unavailable refuses a request with refusal, because it cannot be decided now. It charges nothing.
func (g *Gate) unavailable(ctx context.Context, caller netip.Addr, p policy, refusal *problem) verdict {
	v := g.checkAddress(ctx, caller, p)
	v.refused = refusal
	return v
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

// windowState is the window that a response reports.
type windowState struct {
	policy string
	ratelimit.Result
}

// secondsLeft is the time until the window resets, rounded up so that waiting so long is enough, and at
// least 1.
func (s windowState) secondsLeft() int {
	left := s.Reset.Sub(s.Now)
	return max(int((left+time.Second-1)/time.Second), 1)
}

// setHeaders sets the documented X-RateLimit headers, spelt as documented although net/http would write
// X-Ratelimit, and the IETF draft's (draft-ietf-httpapi-ratelimit-headers).
func (s windowState) setHeaders(header http.Header) {
	limit, remaining := strconv.Itoa(s.Quota.Limit), strconv.Itoa(s.Remaining)
	header["X-RateLimit-Limit"] = []string{limit}
	header["X-RateLimit-Remaining"] = []string{remaining}
	header["X-RateLimit-Reset"] = []string{strconv.FormatInt(s.Reset.Unix(), 10)}
	header["RateLimit-Policy"] = []string{
		`"` + s.policy + `";q=` + limit + ";w=" + strconv.FormatInt(int64(s.Quota.Window/time.Second), 10),
	}
	header["RateLimit"] = []string{
		`"` + s.policy + `";r=` + remaining + ";t=" + strconv.Itoa(s.secondsLeft()),
	}
}
