package tokengate

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/upstream"
)

// clientAddressHeader carries the client's address to the services.
const clientAddressHeader = "X-Client-Address"

// Variables of a request for a public path: whether its client prefers HTML to JSON, and whether it has the cookie of a
// session, which may have ended.
const (
	PrefersHTMLVar = "token_gate.prefers_html"
	HasSessionVar  = "token_gate.has_session"
)

// identify tells the next handlers who sends a request: in headers, with net/http's spelling, and in the assertion by
// which services trust them.
func (x *exchange) identify(r *http.Request) {
	var caller identity.Caller // zero: without an identity there is no assertion
	switch x.route {
	case tokenRoute:
		caller = identity.Caller{
			Subject: x.token.TokenID, OrganizationID: x.token.OrganizationID, Permissions: x.token.Permissions,
		}
		r.Header["X-Token-Id"] = []string{caller.Subject}
	case sessionRoute:
		caller = identity.Caller{
			Subject: x.session.UserID, OrganizationID: x.session.OrganizationID, Permissions: x.session.Permissions,
			Name: x.session.Name, OrganizationName: x.session.OrganizationName, SessionID: x.session.SessionID,
			AuthTime: x.session.AuthTime,
		}
		r.Header["X-User-Id"] = []string{caller.Subject}
		r.Header["X-User-Name"] = []string{url.PathEscape(caller.Name)}
		r.Header["X-Organization-Name"] = []string{url.PathEscape(caller.OrganizationName)}
		if caller.AuthTime != 0 {
			r.Header["X-User-Auth-Time"] = []string{strconv.FormatInt(caller.AuthTime, 10)}
		}
	case pageRoute: // tokens-svc reads the session itself
		caller.ClientAddress = x.client
	case publicRoute:
		caddyhttp.SetVar(r.Context(), PrefersHTMLVar, x.html)
		caddyhttp.SetVar(r.Context(), HasSessionVar, strings.Contains(x.cookie, sessionCookie))
	case preflightRoute:
	}
	if caller.OrganizationID != "" {
		r.Header["X-Organization-Id"] = []string{caller.OrganizationID}
		r.Header["X-Token-Permissions"] = []string{caller.Permissions}
	}
	x.gate.setAssertions(r, caller)
}

// setAssertions sets the placeholders of r's next handlers with the assertions for services. Each is signed when it is
// read; it is empty for a zero caller.
func (g *Gate) setAssertions(r *http.Request, caller identity.Caller) {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return
	}
	repl.Map(func(name string) (any, bool) {
		service, ok := strings.CutPrefix(name, upstream.AssertionPrefix)
		if !ok {
			return nil, false
		}
		if g.signer == nil || caller == (identity.Caller{}) {
			return "", true
		}
		text, err := g.signer.Assertion(service, caller)
		if err != nil {
			// The service refuses the request.
			g.logger.Error("no assertion", zap.String("service", service), zap.Error(err))
			return "", true
		}
		return text, true
	})
}
