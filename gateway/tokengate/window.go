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

// The windows of client addresses, and of people. Each kind of request has its own, so that none can use up another's.
// What is cheap to serve, or throttled behind the gate, is not worth a call to Redis.
var (
	invalidTokenWindow   = perMinute("address", 100)
	invalidSessionWindow = perMinute("session", 100)
	personWindow         = perMinute("person", 600)
	noTokenWindow        = local(perMinute("no-token", 100))
	publicWindow         = local(perMinute("public", 600))
	pageWindow           = local(perMinute("page", 600))
	signInWindow         = local(perMinute("sign-in", 30))
)

const tokenPolicy = "token"

func perMinute(policy string, limit int) ratelimit.Window {
	return ratelimit.Window{Policy: policy, Limit: limit, Length: time.Minute}
}

func local(w ratelimit.Window) ratelimit.Window {
	w.Local = true
	return w
}

// networkFactor is how many times the requests of one /64 may come from a /48, which is what many providers give to
// one customer.
const networkFactor = 4

// windowsOf returns the windows of a kind that an address is counted in: that of its client and, for IPv6, that of the
// /48, with networkFactor times the requests.
func windowsOf(w ratelimit.Window, addr netip.Addr) []ratelimit.Window {
	id := func(network string) string { return w.Policy + ":" + network }
	switch {
	case addr.Is4():
		return []ratelimit.Window{w.Of(id(addr.String()))}
	case addr.Is6():
		wide := w.Of(id(clients.Site(addr).String()))
		wide.Limit *= networkFactor
		return []ratelimit.Window{w.Of(id(clients.Network(addr).String())), wide}
	default:
		return []ratelimit.Window{w.Of(id("unknown"))}
	}
}

// countAddress calls take for each window that addr is counted in, until one is empty or take fails. It returns the
// one to report: the one that refuses, or else the one with the least left.
func countAddress(
	w ratelimit.Window, addr netip.Addr, take func(ratelimit.Window) (ratelimit.State, error),
) (shown ratelimit.State, err error) {
	for i, w := range windowsOf(w, addr) {
		state, err := take(w)
		if i == 0 || err == nil && (!state.Allowed || state.Remaining < shown.Remaining) {
			shown = state
		}
		if err != nil || !state.Allowed {
			return shown, err
		}
	}
	return shown, nil
}

// chargeAddress counts a request in the windows of its address and refuses it with refusal, or because one of them is
// empty. Without a refusal it passes otherwise, also if it cannot be counted.
func (g *Gate) chargeAddress(ctx context.Context, caller netip.Addr, w ratelimit.Window, refusal *problem) verdict {
	state, err := countAddress(w, caller, func(w ratelimit.Window) (ratelimit.State, error) {
		return g.windows.Take(ctx, w)
	})
	decided(state, err)
	if err == nil && !state.Allowed {
		refusal = addressLimited.until(state)
	}
	return verdict{window: state, refused: refusal}
}

// checkAddress refuses the introspection of an unknown token or session whose address has a window that this gateway
// knows to be empty. It charges nothing.
func (g *Gate) checkAddress(caller netip.Addr, w ratelimit.Window) verdict {
	state, _ := countAddress(w, caller, func(w ratelimit.Window) (ratelimit.State, error) {
		return g.windows.Peek(w), nil
	})
	v := verdict{window: state}
	if !state.Allowed {
		v.refused = addressLimited.until(state)
	}
	return v
}

// unavailable refuses a request with refusal, because it cannot be decided now. It charges nothing.
func (g *Gate) unavailable(caller netip.Addr, w ratelimit.Window, refusal *problem) verdict {
	v := g.checkAddress(caller, w)
	v.refused = refusal
	return v
}

// decided counts the decision about a request in the metrics.
func decided(state ratelimit.State, err error) {
	decision := "refused"
	switch {
	case errors.Is(err, ratelimit.ErrUnavailable):
		decision = "unavailable"
	case err != nil:
		decision = "abandoned"
	case state.Allowed:
		decision = "allowed"
	}
	windowDecisionsTotal.WithLabelValues(state.Policy, decision, string(state.Source)).Inc()
}

// setWindowHeaders sets the documented X-RateLimit headers, spelt as documented although net/http would write
// X-Ratelimit, and the IETF draft's (draft-ietf-httpapi-ratelimit-headers).
func setWindowHeaders(header http.Header, s ratelimit.State) {
	limit, remaining := strconv.Itoa(s.Limit), strconv.Itoa(s.Remaining)
	header["X-RateLimit-Limit"] = []string{limit}
	header["X-RateLimit-Remaining"] = []string{remaining}
	header["X-RateLimit-Reset"] = []string{strconv.FormatInt(s.Reset.Unix(), 10)}
	header["RateLimit-Policy"] = []string{
		`"` + s.Policy + `";q=` + limit + ";w=" + strconv.FormatInt(int64(s.Length/time.Second), 10),
	}
	header["RateLimit"] = []string{
		`"` + s.Policy + `";r=` + remaining + ";t=" + strconv.Itoa(s.SecondsLeft()),
	}
}
