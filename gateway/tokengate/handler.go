package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// arrival is what the gate keeps of a request as it came: what the next handlers do not receive.
type arrival struct {
	route      route
	caller     netip.Addr
	credential credential
	cookie     string
}

// verdict is what the gate decides about a request.
type verdict struct {
	// window is the one that the response reports.
	window ratelimit.State
	// token is set once the token is known to be active and usable from the caller's address.
	token *introspect.Result
	// presented is what is known of the request's token, which may be inactive; nil: nothing is.
	presented *introspect.Result
	// session is set once the person is known to be signed in.
	session *introspect.Session
	// refused is the response of a refused request; nil lets it pass.
	refused *problem
}

// ServeHTTP implements caddyhttp.MiddlewareHandler. It responds to errors of the next handlers itself, so that
// these responses too are problem+json with the window's headers, and returns none. In handle_errors it responds
// to the present error.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	out := g.newResponseWriter(w, r)
	came := arrival{
		route: g.routeOf(r), caller: clientAddress(out.vars), credential: g.read(r.Header["Authorization"]),
		cookie: strings.Join(r.Header["Cookie"], "; "),
	}
	r, out.span = g.begin(r)
	defer g.note(out) // also when a response is aborted by a panic
	defer func() { out.finish(r) }()
	body := r.Body
	g.receive(out, r, came)
	v, err := g.decide(out, r, came)
	switch {
	case v.refused == nil && err == nil && came.route == preflightRoute:
		preflight(out)
	case v.refused == nil && err == nil:
		err = next.ServeHTTP(out, r)
	}
	out.whole = true
	switch {
	case v.refused != nil:
		if r.ProtoMajor == 1 && r.Header.Get("Expect") != "" {
			out.closes = true // net/http waits for the body that the client holds back, unless the connection is to close
		}
		p := unlessClosed(r, *v.refused)
		requestsTotal.WithLabelValues(p.Code).Inc()
		enterRefusal(out, came, p)
		g.answer(out, r, p)
	case err != nil:
		p := unlessClosed(r, problemOf(err))
		out.failure = upstreamFailed(r, p, err)
		g.answer(out, r, p)
	default:
		out.implicitHeader()
		return nil
	}
	linger(out, r, body)
	return nil
}

// receive makes r the request that the next handlers may receive, without an identity yet.
func (g *Gate) receive(out *responseWriter, r *http.Request, came arrival) {
	out.cookies = came.route == pageRoute
	out.page = out.cookies || came.route == sessionRoute
	strip(r, out.cookies)
	out.body = takeBody(out.ResponseWriter, r)
	r.Header[requestIDCanonical] = []string{out.requestID}
	if came.caller.IsValid() {
		out.client = came.caller.String()
		r.Header[clientAddressHeader] = []string{out.client}
	}
}

// decide decides about a request, or returns the error to respond to instead of forwarding it. In handle_errors that is
// the present one, of a request that Caddy refused before this handler.
func (g *Gate) decide(out *responseWriter, r *http.Request, came arrival) (v verdict, err error) {
	present, failed := r.Context().Value(caddyhttp.ErrorCtxKey).(error)
	switch full := g.enter(out, came); { //nolint:contextcheck // nothing is waited for
	case full != nil:
		v = g.unavailable(came.caller, publicWindow, full)
	case failed:
		v = g.chargeAddress(r.Context(), came.caller, publicWindow, nil)
	default:
		v = g.admit(out, r, came)
	}
	out.window, out.token, out.session = v.window, v.token, v.session
	out.presented, out.caller = v.presented, came.caller
	if v.refused != nil || failed {
		return v, present
	}
	outcome := v.window.Policy
	if came.route == tokenRoute {
		outcome = "forwarded"
	}
	if came.route == preflightRoute {
		outcome = "preflight"
	}
	requestsTotal.WithLabelValues(outcome).Inc()
	err = checkDestination(out, r)
	if err == nil && came.route == tokenRoute && r.URL.Path != "/" && strings.HasSuffix(r.URL.Path, "/") {
		err = caddyhttp.Error(http.StatusNotFound, errors.New("no resource's path ends with a slash"))
	}
	return v, err
}

// admit decides whether a request may pass, and prepares it for the next handlers.
func (g *Gate) admit(out *responseWriter, r *http.Request, came arrival) verdict {
	ctx := r.Context()
	switch came.route {
	case pageRoute:
		g.setAssertions(r, identity.Caller{ClientAddress: out.client})
		return g.chargeAddress(ctx, came.caller, windowOfPage(r), nil)
	case sessionRoute:
		return g.admitSession(out, r, came)
	case preflightRoute:
		return g.chargeAddress(ctx, came.caller, publicWindow, nil)
	case publicRoute:
		caddyhttp.SetVar(ctx, PrefersHTMLVar, out.html)
		caddyhttp.SetVar(ctx, HasSessionVar, strings.Contains(came.cookie, sessionCookie))
		g.setAssertions(r, identity.Caller{})
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			out.Header().Set("Allow", "GET, HEAD")
			return g.chargeAddress(ctx, came.caller, publicWindow, problemWith(http.StatusMethodNotAllowed))
		}
		return g.chargeAddress(ctx, came.caller, publicWindow, nil)
	case tokenRoute:
	}
	if out.html && errors.Is(came.credential.err, bearer.ErrMissing) {
		// a browser asks for a page where there is none, and could not send a token
		return g.chargeAddress(ctx, came.caller, publicWindow, problemWith(http.StatusNotFound))
	}
	v := g.check(ctx, came.caller, came.credential, out.began)
	if v.refused == nil {
		out.release()
		g.identify(r, v.token)
	}
	return v
}

// apiPrefix begins the paths of programs, which are asked for a token before they learn what is there, and whose errors
// are problem+json.
const apiPrefix = "/api/"

// Variables of a request for a public path: whether its client prefers HTML to JSON, and whether it has the cookie of a
// session, which may have ended.
const (
	PrefersHTMLVar = "token_gate.prefers_html"
	HasSessionVar  = "token_gate.has_session"
)

// unlessClosed returns p, or clientClosed if p is a failure that the client caused by closing its connection.
func unlessClosed(r *http.Request, p problem) problem {
	if p.Status >= http.StatusInternalServerError && errors.Is(r.Context().Err(), context.Canceled) {
		return clientClosed
	}
	return p
}

// answer responds with p unless a response has begun. A client that has disconnected is no fault.
func (g *Gate) answer(out *responseWriter, r *http.Request, p problem) {
	if out.status != 0 {
		return
	}
	if out.html && p.Code == signInRequired.Code {
		out.Header().Set("Location", out.location)
		out.Header().Set("Cache-Control", "no-store")
		out.WriteHeader(http.StatusSeeOther)
		return
	}
	const challenge = `Bearer realm="shipments"` // RFC 6750, section 3
	switch p.Code {
	case missingToken.Code:
		out.Header()["WWW-Authenticate"] = []string{challenge}
	case invalidToken.Code:
		out.Header()["WWW-Authenticate"] = []string{
			challenge + `, error="invalid_token", error_description="` + p.Detail + `"`,
		}
	}
	var err error
	if out.html {
		err = p.writePage(out, r, out.requestID)
	} else {
		err = p.write(out, out.path, out.requestID)
	}
	if err != nil {
		g.logger.Debug("response not delivered", zap.String("request_id", out.requestID), zap.Error(err))
	}
}

// clientAddressHeader carries the client's address to the services.
const clientAddressHeader = "X-Client-Address"

// clientAddress is the address that Caddy determined, from a trusted proxy's header if there is one, in the
// form in which it is compared, counted and forwarded: IPv4 never mapped into IPv6, and without a zone.
func clientAddress(vars map[string]any) netip.Addr {
	text, _ := vars[caddyhttp.ClientIPVarKey].(string)
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
