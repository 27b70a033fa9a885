package tokengate

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
)

// arrival is what the gate keeps of a request as it came: what the next handlers do not receive.
type arrival struct {
	route         route
	caller        netip.Addr
	authorization []string
	cookie        string
	body          io.Reader
}

// ServeHTTP implements caddyhttp.MiddlewareHandler. It responds to errors of the next handlers itself, so that
// these responses too are problem+json with the window's headers, and returns none. In handle_errors it responds
// to the present error.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	out := g.newResponseWriter(w, r)
	out.vars, _ = r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	caller := clientAddress(out.vars)
	out.enter(caller, r.Header["Authorization"])
	defer out.leave()
	r, out.span = g.begin(r)
	defer g.note(out) // also when the proxy aborts a response by a panic
	came := g.receive(out, r, caller)
	refused, err := g.decide(out, r, came)
	switch {
	case refused == nil && err == nil && came.route == preflightRoute:
		preflight(out)
	case refused == nil && err == nil:
		err = next.ServeHTTP(out, r)
	}
	out.whole = true
	switch {
	case refused != nil:
		if r.ProtoMajor == 1 && r.Header.Get("Expect") != "" {
			out.closes = true // net/http waits for the body that the client holds back, unless the connection is to close
		}
		g.refuse(out, unlessClosed(r, *refused))
	case err != nil:
		g.answerError(out, r, err)
	default:
		out.implicitHeader()
		return nil
	}
	linger(out, r, came.body)
	return nil
}

// receive makes r the request that the next handlers may receive, without an identity yet.
func (g *Gate) receive(out *responseWriter, r *http.Request, caller netip.Addr) arrival {
	came := arrival{route: g.routeOf(r), caller: caller, cookie: strings.Join(r.Header["Cookie"], "; "), body: r.Body}
	out.page, out.cookies = came.route == pageRoute || came.route == sessionRoute, came.route == pageRoute
	came.authorization = strip(r, out.cookies)
	out.body = takeBody(out.ResponseWriter, r)
	r.Header[requestIDCanonical] = []string{out.requestID}
	if caller.IsValid() {
		out.client = caller.String()
		r.Header[clientAddressHeader] = []string{out.client}
	}
	return came
}

// decide returns how the request is refused, or the error to respond to instead of forwarding it. In handle_errors
// that is the present one, of a request that Caddy refused before this handler.
func (g *Gate) decide(out *responseWriter, r *http.Request, came arrival) (*problem, error) {
	if err, failed := r.Context().Value(caddyhttp.ErrorCtxKey).(error); failed {
		return g.countPublic(r.Context(), out, came.caller), err
	}
	if refused := g.admit(out, r, came); refused != nil {
		return refused, nil
	}
	err := checkDestination(out, r)
	if err == nil && came.route == tokenRoute && r.URL.Path != "/" && strings.HasSuffix(r.URL.Path, "/") {
		err = caddyhttp.Error(http.StatusNotFound, errors.New("no resource's path ends with a slash"))
	}
	return nil, err
}

// refuse responds to a refused request.
func (g *Gate) refuse(out *responseWriter, p problem) {
	requestsTotal.WithLabelValues(p.Code).Inc()
	g.answer(out, p)
}

// admit decides whether the request may pass, and prepares it for the next handlers. Otherwise it returns the
// response.
func (g *Gate) admit(out *responseWriter, r *http.Request, came arrival) *problem {
	switch came.route {
	case pageRoute:
		g.setIdentityPlaceholders(r, identity.Caller{ClientAddress: out.client})
		return g.admitPage(out, r, came.caller)
	case sessionRoute:
		return g.admitSession(out, r, came.caller, came.cookie)
	case preflightRoute:
		requestsTotal.WithLabelValues("preflight").Inc()
		return g.countPublic(r.Context(), out, came.caller)
	case publicRoute:
		caddyhttp.SetVar(r.Context(), PrefersHTMLVar, out.html)
		caddyhttp.SetVar(r.Context(), HasSessionVar, strings.Contains(came.cookie, sessionCookie))
		g.setIdentityPlaceholders(r, identity.Caller{})
		return g.admitPublic(out, r, came.caller)
	default:
		if out.html && came.authorization == nil && !strings.HasPrefix(r.URL.Path, apiPrefix) {
			return g.noPage(out, r, came.caller)
		}
		v := g.check(r.Context(), came.caller, came.authorization)
		if out.window, out.token = v.window, v.token; v.refused != nil {
			return v.refused
		}
		out.leave()
		g.identify(r, out.token)
		requestsTotal.WithLabelValues("forwarded").Inc()
		return nil
	}
}

// apiPrefix begins the paths of programs, which are asked for a token before they learn what is there.
const apiPrefix = "/api/"

// noPage refuses a browser that asks for a page where there is none: it could not send a token.
func (g *Gate) noPage(out *responseWriter, r *http.Request, caller netip.Addr) *problem {
	if refused := g.countPublic(r.Context(), out, caller); refused != nil {
		return refused
	}
	p := problemOf(caddyhttp.Error(http.StatusNotFound, errors.New("no page has this path")))
	return &p
}

// unlessClosed returns p, or clientClosed if p is a failure that the client caused by closing its connection.
func unlessClosed(r *http.Request, p problem) problem {
	if p.Status >= http.StatusInternalServerError && errors.Is(r.Context().Err(), context.Canceled) {
		return clientClosed
	}
	return p
}

// identify sets the headers and placeholders that identify the principal. The headers have net/http's spelling
// and share one array.
func (g *Gate) identify(r *http.Request, token *introspect.Result) {
	values := [...]string{token.OrganizationID, token.TokenID, token.Permissions}
	r.Header["X-Organization-Id"] = values[0:1:1]
	r.Header["X-Token-Id"] = values[1:2:2]
	r.Header["X-Token-Permissions"] = values[2:3:3]

	g.setIdentityPlaceholders(r, identity.Caller{
		Subject: token.TokenID, OrganizationID: token.OrganizationID, Permissions: token.Permissions,
	})
}

// answerError responds to err of the next handlers.
func (g *Gate) answerError(out *responseWriter, r *http.Request, err error) {
	p := unlessClosed(r, problemOf(err))
	if p.Status == http.StatusNotFound && !out.page {
		p = g.nothingAt(p, r.URL.Path)
	}
	out.failure = upstreamFailed(r, p, err)
	g.answer(out, p)
}

// answer responds with p unless a response has begun. A client that has disconnected is no fault.
func (g *Gate) answer(out *responseWriter, p problem) {
	if out.status != 0 {
		return
	}
	if out.location != "" {
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
	if out.page || out.html {
		err = p.writePage(out, out.html, out.path, out.requestID)
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
