package tokengate

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// exchange is a request and its response: what the gate keeps of the request as it came, because the next handlers do
// not receive it; what the gate decides; and what became of it, for the access log. It is the next handlers' writer.
type exchange struct {
	caddyhttp.ResponseWriterWrapper

	gate  *Gate
	began time.Time
	vars  map[string]any // Caddy's variables of the request
	span  trace.Span     // nil: the request is not traced

	id         string
	method     string
	path       string // escaped
	origin     string // of the page that sends the request, if it is another one's
	html       bool   // the client shows HTML: a browser that navigates
	caller     netip.Addr
	client     string // the caller's address; empty if it is not known
	route      route
	ambiguous  bool // the path can be read in several ways
	credential credential
	cookie     string
	body       *body // nil: the request has none

	window    ratelimit.State     // the one that the response reports
	token     *introspect.Result  // of the request's token, which may have ended; nil: nothing is known of it
	session   *introspect.Session // of a person who is signed in; nil: the route needs none
	principal identity.Caller     // zero: without an identity there is no assertion
	admitted  bool                // the token or the person may use the product from here
	location  string              // where a browser is sent in place of the problem that refuses it
	leave     func()              // gives the place of the request back; nil: it has none
	closes    bool                // the connection ends with the response

	status  int    // of the response, once it has begun; else 0
	bytes   int64  // of its body so far
	whole   bool   // the handlers have returned
	held    int    // the status that a handler in handle_errors has set, until it writes a body
	left    bool   // to the gate in handle_errors
	failure string // of a service
}

// ServeHTTP implements caddyhttp.MiddlewareHandler. It responds to errors, its own and those of the next handlers, so
// that these responses too are problem+json with the window's headers. If handle_errors has handlers beside a gate,
// the error is returned, and the gate there responds with what they write, or else with the problem.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	present, failed := r.Context().Value(caddyhttp.ErrorCtxKey).(error)
	if left, ok := errors.AsType[*unanswered](present); ok {
		if !left.take() { // its client has left
			return next.ServeHTTP(w, r)
		}
		left.left = false
		defer left.end(r)
		left.answer(r, left.cause, next)
		return nil
	}
	x, r := g.receive(w, r)
	defer func() { x.end(r) }() // also when a response is aborted by a panic
	err := x.admit(r, present)
	switch {
	case err == nil && x.route == preflightRoute:
		preflight(x)
	case err == nil:
		err = next.ServeHTTP(x, r)
	}
	x.whole = true
	switch {
	case err == nil:
		x.implicitHeader()
		return nil
	case failed:
	case x.status != 0, r.Context().Err() != nil, !g.restyled():
		next = nil
	default:
		return x.leaveUnanswered(r, err)
	}
	x.answer(r, err, next)
	return nil
}

// end ends the exchange once the response is complete.
func (x *exchange) end(r *http.Request) {
	if !x.left {
		x.finish(r)
		x.note()
	}
}

// receive returns the exchange of a new request, and the request with its trace.
func (g *Gate) receive(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	vars, _ := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	x := &exchange{
		ResponseWriterWrapper: caddyhttp.ResponseWriterWrapper{ResponseWriter: w},
		gate:                  g, began: time.Now(), vars: vars,
		id: publicid.New("req"), method: r.Method, path: r.URL.EscapedPath(), origin: r.Header.Get("Origin"),
		html: prefersHTML(r), caller: clientAddress(vars), ambiguous: !isUnambiguous(r.URL),
		closes: r.ProtoMajor == 1 && (r.Method == http.MethodConnect || r.ProtoMinor == 0),
	}
	if x.caller.IsValid() {
		x.client = x.caller.String()
	}
	x.route = g.routeOf(r, x.ambiguous)
	r, x.span = g.begin(r)
	return x, r
}

// admit decides whether a request may pass, and makes it what the next handlers may receive. Its steps, in this order,
// are the security of the product. The error is a problem.Problem for a refusal. In handle_errors there is a present
// one, of a request that Caddy refused before this handler.
func (x *exchange) admit(r *http.Request, present error) error {
	x.strip(r)
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		repl.Map(x.placeholder)
	}
	x.recall()
	if err := x.enter(); err != nil { //nolint:contextcheck // a wait for a place does not end with the client
		return err
	}
	if present != nil {
		return x.chargeAddress(r.Context(), publicWindow, present)
	}
	if err := x.lookUp(r); err != nil {
		return err
	}
	x.principal = x.principalOf()
	if err := x.count(r); err != nil {
		return err
	}
	if x.admitted {
		x.release()
	}
	requestsTotal.WithLabelValues(x.outcome()).Inc()
	x.identify(r)
	return x.checkDestination(r)
}

// strip takes from r what only the gate may send on, and adds the request's id and the client's address.
func (x *exchange) strip(r *http.Request) {
	c := &x.credential
	c.text, c.err = x.gate.Tokens.Read(r.Header["Authorization"])
	x.cookie = strings.Join(r.Header["Cookie"], "; ")
	views := viewCookies(r)
	strip(r, x.route == pageRoute)
	if x.route == sessionRoute && views != nil {
		r.Header["Cookie"] = []string{strings.Join(views, "; ")}
	}
	x.body = takeBody(x.ResponseWriter, r)
	r.Header[requestIDCanonical] = []string{x.id}
	if x.client != "" {
		r.Header[clientAddressHeader] = []string{x.client}
	}
}

// count counts a request: that with a token in the token's window, that of a person in the person's, others by address.
func (x *exchange) count(r *http.Request) error {
	ctx := r.Context()
	switch x.route {
	case tokenRoute:
		return x.chargeToken(r)
	case sessionRoute:
		return x.chargePerson(r)
	case pageRoute:
		return x.chargeAddress(ctx, x.gate.windowOfPage(r), nil)
	case publicRoute:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			x.Header().Set("Allow", "GET, HEAD")
			return x.chargeAddress(ctx, publicWindow, problemWith(http.StatusMethodNotAllowed))
		}
	case preflightRoute:
	}
	return x.chargeAddress(ctx, publicWindow, nil)
}

// outcome is what became of a request that was not refused, in the metrics.
func (x *exchange) outcome() string {
	switch x.route {
	case tokenRoute:
		return "forwarded"
	case preflightRoute:
		return "preflight"
	default:
		return x.window.Policy
	}
}
