package tokengate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
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
		wide := w.Of(id(address.Site(addr).String()))
		wide.Limit *= networkFactor
		return []ratelimit.Window{w.Of(id(address.Network(addr).String())), wide}
	default:
		return []ratelimit.Window{w.Of(id("unknown"))}
	}
}

// Zone is a window of requests with a token: of those with the same key, so many are allowed in each window.
type Zone struct {
	// Name is that of the policy in the headers RateLimit and RateLimit-Policy.
	Name string `json:"name,omitempty"`
	// Key has placeholders, such as {http.auth.user.id} or {client_ip}. A request whose key is empty is not counted.
	Key string `json:"key,omitempty"`
	// Requests is how many are allowed, at most 1,000,000.
	Requests int `json:"requests,omitempty"`
	// Window is its length in whole seconds, at most a day.
	Window caddy.Duration `json:"window,omitempty"`
}

// validate accepts the zero Zone, the default of the limit.
func (z Zone) validate() error {
	window := time.Duration(z.Window)
	whole := window >= time.Second && window <= introspect.MaxWindow && window%time.Second == 0
	if z != (Zone{}) && (!whole || z.Requests < 1 || z.Requests > introspect.MaxLimit) {
		return fmt.Errorf("limit or zone %s: 1 to 1000000 requests in whole seconds, at most 24h", z.Name)
	}
	return nil
}

// maxKeyBytes is the longest key that is not replaced by its digest.
const maxKeyBytes = 64

// zoneWindows returns the windows that a request with a token is counted in, of which limit is its own.
func (x *exchange) zoneWindows(r *http.Request, limit ratelimit.Window) []ratelimit.Window {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	var windows []ratelimit.Window
	count := func(w ratelimit.Window, key string) {
		if key = repl.ReplaceAll(key, ""); key == "" {
			return
		}
		if len(key) > maxKeyBytes {
			digest := sha256.Sum256([]byte(key))
			key = hex.EncodeToString(digest[:])
		}
		windows = append(windows, w.Of("zone:"+w.Policy+":"+key))
	}
	if x.gate.Limit.Key == "" {
		windows = append(windows, limit)
	} else {
		count(limit, x.gate.Limit.Key)
	}
	for _, z := range x.gate.Zones {
		count(ratelimit.Window{Policy: z.Name, Limit: z.Requests, Length: time.Duration(z.Window)}, z.Key)
	}
	return windows
}

// charge counts a request in windows until one is empty, or cannot be counted. The response reports the one that
// refuses it, or else the one with the least left.
func (x *exchange) charge(ctx context.Context, windows ...ratelimit.Window) error {
	if len(windows) == 0 { // it is not counted
		x.window = ratelimit.State{Allowed: true}
		return nil
	}
	for i, w := range windows {
		state, err := x.gate.windows.Take(ctx, w)
		if i == 0 || err == nil && (!state.Allowed || state.Remaining < x.window.Remaining) {
			x.window = state
		}
		if err != nil || !state.Allowed {
			decided(x.window, err)
			return err
		}
	}
	decided(x.window, nil)
	return nil
}

// chargeAddress counts a request in the windows of its address and refuses it with refusal, or because one of them is
// empty. Without a refusal it passes otherwise, also if it cannot be counted.
func (x *exchange) chargeAddress(ctx context.Context, w ratelimit.Window, refusal error) error {
	if err := x.charge(ctx, windowsOf(w, x.caller)...); err == nil && !x.window.Allowed {
		return until(x.window, addressLimited)
	}
	return refusal
}

// chargeToken counts a request in the windows of its token.
func (x *exchange) chargeToken(r *http.Request) error {
	ctx := r.Context()
	_, span := spans.Child(ctx, "count", trace.SpanKindInternal)
	limit := ratelimit.Window{Policy: tokenPolicy, ID: x.token.Lineage, Limit: x.token.Limit, Length: x.token.Window}
	var err error
	if x.gate.Limit.Key == "" && len(x.gate.Zones) == 0 {
		err = x.charge(ctx, limit)
	} else {
		err = x.charge(ctx, x.zoneWindows(r, limit)...)
	}
	span.End()
	switch {
	case err != nil:
		return limiterUnavailable
	case !x.window.Allowed:
		return until(x.window, rateLimited)
	default:
		return nil
	}
}

// sameOrigin refuses requests that change something and come from a page of another origin.
var sameOrigin = http.NewCrossOriginProtection()

// chargePerson counts a request for a page of a service, which must be of an organization of the person and from a page
// of its own site. If it cannot be counted, it passes, as those for other pages do.
func (x *exchange) chargePerson(r *http.Request) error {
	err := x.charge(r.Context(), personWindow.Of(x.session.UserID))
	switch {
	case err == nil && !x.window.Allowed:
		return until(x.window, rateLimited)
	case x.session.OrganizationID == "":
		return problemWith(http.StatusNotFound)
	case sameOrigin.Check(r) != nil:
		return crossOriginRefused
	default:
		x.admitted = true
		return nil
	}
}

// windowOfPage returns the window of a request for a page. That of signing in is for all that could try a secret:
// everything at the sign-in pages but a GET of the first one. The return from an identity provider is a GET, and so is
// an invitation's link. Neither needs Redis: tokens must be revocable while it is not available, and the service of the
// pages throttles failed sign-ins itself, by account and by address.
func (g *Gate) windowOfPage(r *http.Request) ratelimit.Window {
	switch reads := r.Method == http.MethodGet || r.Method == http.MethodHead; {
	case g.SignIn == "", r.URL.Path != g.SignIn && !strings.HasPrefix(r.URL.Path, g.SignIn+"/"),
		r.URL.Path == g.SignIn && reads,
		sameOrigin.Check(r) != nil: // the service refuses it without trying, so another site's page cannot use up the window
		return pageWindow
	default:
		return signInWindow
	}
}

// checkAddress refuses the introspection of an unknown token or session whose address has a window that this gateway
// knows to be empty. It charges nothing.
func (x *exchange) checkAddress(w ratelimit.Window) error {
	for i, w := range windowsOf(w, x.caller) {
		state := x.gate.windows.Peek(w)
		if i == 0 || state.Remaining < x.window.Remaining {
			x.window = state
		}
	}
	if !x.window.Allowed {
		return until(x.window, addressLimited)
	}
	return nil
}

// unavailable refuses a request with refusal, because it cannot be decided now. It charges nothing.
func (x *exchange) unavailable(w ratelimit.Window, refusal problem.Problem) error {
	_ = x.checkAddress(w) // the window that the response reports
	return refusal
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
