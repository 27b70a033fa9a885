package tokengate

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/requestid"
)

// ServeHTTP implements caddyhttp.MiddlewareHandler. It answers errors of the handlers behind it itself,
// so that they too are problem+json with the window's headers, and returns none. Among the handlers of
// handle_errors it answers the error at hand.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	start := time.Now()
	trustedPeer, _ := caddyhttp.GetVar(r.Context(), caddyhttp.TrustedProxyVarKey).(bool)
	page := g.pages.match(r)
	authorization := strip(r, trustedPeer, page)
	instance, body := r.URL.EscapedPath(), r.Body
	out := &responseWriter{
		ResponseWriterWrapper: caddyhttp.ResponseWriterWrapper{ResponseWriter: w},
		requestID:             requestid.New(),
		page:                  page,
		html:                  page && acceptsHTML(r.Header["Accept"]),
	}
	caller := clientAddress(r)
	line := &accessLine{out: out, method: r.Method, path: instance}
	defer func() { // also when the proxy gives up an answer that has begun, by a panic
		line.took = time.Since(start)
		g.note(line)
	}()
	r.Header.Set(requestIDHeader, out.requestID)
	if caller.IsValid() {
		line.client = caller.String()
		r.Header.Set(clientAddressHeader, line.client)
	}

	if err, failed := r.Context().Value(caddyhttp.ErrorCtxKey).(error); failed {
		// In handle_errors, for a request that Caddy refused before this gate had seen it.
		out.window, _ = g.peekAddress(r.Context(), caller)
		g.answerError(out, r, err, instance)
		linger(out, r, body)
		return nil
	}
	refused := g.admit(out, r, caller, authorization)
	if refused != nil {
		requestsTotal.WithLabelValues(refused.Code).Inc()
		g.answer(out, *refused, instance)
		linger(out, r, body)
		return nil
	}
	if err := next.ServeHTTP(out, r); err != nil {
		g.answerError(out, r, err, instance)
		linger(out, r, body)
		return nil
	}
	out.finish()
	g.behind.works(r)
	return nil
}

// admit decides whether the request goes on, and prepares it for that. Otherwise it returns the answer.
func (g *Gate) admit(out *responseWriter, r *http.Request, caller netip.Addr, authorization []string) *problem {
	if out.page {
		g.vouch(r, identity.Caller{})
		return g.admitPage(out, r, caller)
	}
	if g.public.match(r) {
		out.window, _ = g.peekAddress(r.Context(), caller)
		g.vouch(r, identity.Caller{})
		requestsTotal.WithLabelValues("public").Inc()
		return nil
	}

	var refused *problem
	out.window, out.token, refused = g.check(r.Context(), caller, authorization)
	if out.token != nil && refused == nil {
		g.identify(r, out.token)
	}
	if refused == nil {
		requestsTotal.WithLabelValues("forwarded").Inc()
	}
	return refused
}

// identify tells the next handlers whose request it is.
func (g *Gate) identify(r *http.Request, token *introspect.Answer) {
	r.Header.Set("X-Organization-ID", token.OrganizationID)
	r.Header.Set("X-Token-ID", token.TokenID)
	r.Header.Set("X-Token-Permissions", token.Permissions)

	g.vouch(r, identity.Caller{
		TokenID: token.TokenID, OrganizationID: token.OrganizationID, Permissions: token.Permissions,
	})
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		repl.Set("http.auth.user.id", token.TokenID)
		repl.Set("http.auth.user.organization_id", token.OrganizationID)
	}
}

// answerError answers for the handlers behind the gate, which returned err.
func (g *Gate) answerError(out *responseWriter, r *http.Request, err error, instance string) {
	p := problemOf(err)
	out.failure = g.behind.fails(r, p, err)
	g.answer(out, p, instance)
}

// answer answers with p unless an answer has begun. A client that is gone by then is no fault.
func (g *Gate) answer(out *responseWriter, p problem, instance string) {
	if out.status != 0 {
		return
	}
	var err error
	if out.page {
		err = p.writePage(out, out.html, instance, out.requestID)
	} else {
		err = p.write(out, instance, out.requestID)
	}
	if err != nil {
		g.logger.Debug("answer not delivered", zap.String("request_id", out.requestID), zap.Error(err))
	}
}

// clientAddressHeader tells the services the client's address, which they cannot see.
const clientAddressHeader = "X-Client-Address"

// clientAddress is the address that Caddy determined, a trusted proxy's word for it included, in the one
// form in which it is compared, counted and forwarded: IPv4 never mapped into IPv6, and without a zone.
func clientAddress(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
