package tokengate

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/identity"
)

// clientAddressHeader carries the client's address to the services.
const clientAddressHeader = "X-Client-Address"

// Variables of a request for a public path: whether its client prefers HTML to JSON, and whether it has the cookie of a
// session, which may have ended.
const (
	PrefersHTMLVar = "token_gate.prefers_html"
	HasSessionVar  = "token_gate.has_session"
)

// principalOf returns who sends a request.
func (x *exchange) principalOf() identity.Caller {
	switch {
	case x.route == tokenRoute && x.token != nil:
		return identity.Caller{
			Subject: x.token.TokenID, OrganizationID: x.token.OrganizationID, Permissions: x.token.Permissions,
		}
	case x.route == sessionRoute && x.session != nil:
		return identity.Caller{
			Subject: x.session.UserID, OrganizationID: x.session.OrganizationID, Permissions: x.session.Permissions,
			Name: x.session.Name, OrganizationName: x.session.OrganizationName, SessionID: x.session.SessionID,
			AuthTime: x.session.AuthTime,
		}
	case x.route == pageRoute: // the service reads the session itself
		return identity.Caller{ClientAddress: x.client}
	default:
		return identity.Caller{}
	}
}

// identify tells the next handlers who sends a request, in headers with net/http's spelling.
func (x *exchange) identify(r *http.Request) {
	caller := &x.principal
	switch x.route {
	case tokenRoute:
		r.Header["X-Token-Id"] = []string{caller.Subject}
	case sessionRoute:
		r.Header["X-User-Id"] = []string{caller.Subject}
		r.Header["X-User-Name"] = []string{url.PathEscape(caller.Name)}
		r.Header["X-Organization-Name"] = []string{url.PathEscape(caller.OrganizationName)}
		if caller.AuthTime != 0 {
			r.Header["X-User-Auth-Time"] = []string{strconv.FormatInt(caller.AuthTime, 10)}
		}
	case publicRoute:
		caddyhttp.SetVar(r.Context(), PrefersHTMLVar, x.html)
		caddyhttp.SetVar(r.Context(), HasSessionVar, x.hasSession())
	case pageRoute, preflightRoute:
	}
	if caller.OrganizationID != "" {
		r.Header["X-Organization-Id"] = []string{caller.OrganizationID}
	}
	if caller.Subject != "" {
		r.Header["X-Token-Permissions"] = []string{caller.Permissions}
	}
}

// placeholders begins the names of the gate's.
const placeholders = "http.token_gate."

// placeholder returns the value of a placeholder about the request.
func (x *exchange) placeholder(name string) (any, bool) {
	if name == "http.auth.user.id" { // that of Caddy's own authentication
		return x.principal.Subject, x.principal.Subject != ""
	}
	name, ours := strings.CutPrefix(name, placeholders)
	if service, ok := strings.CutPrefix(name, "assertion."); ours && ok {
		return x.assertion(service), true
	}
	switch {
	case !ours:
		return nil, false
	case name == "scope":
		return x.principal.Permissions, true
	case name == "organization":
		return x.principal.OrganizationID, true
	case name == "limit":
		return x.window.Limit, true
	case name == "remaining":
		return x.window.Remaining, true
	case name == "reset":
		return x.window.SecondsLeft(), true
	default:
		return nil, false
	}
}

// assertion signs the assertion for a service. It is empty without an identity.
func (x *exchange) assertion(service string) string {
	if x.gate.signer == nil || x.principal == (identity.Caller{}) {
		return ""
	}
	text, err := x.gate.signer.Assertion(service, x.principal)
	if err != nil {
		// The service refuses the request.
		x.gate.logger.Error("no assertion", zap.String("service", service), zap.Error(err))
		return ""
	}
	return text
}
