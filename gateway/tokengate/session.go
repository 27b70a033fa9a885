package tokengate

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// personQuota is the window of a person for the pages of services.
var personQuota = ratelimit.Quota{Limit: 600, Window: time.Minute}

// personWindow is the kind of that window.
const personWindow = "person"

var (
	signInRequired = problem{
		Status: http.StatusUnauthorized, Code: "sign_in_required", Title: "Sign-in required",
		Detail: "This page is for people who have signed in, at /sign-in. Programs use the API with a token.",
	}
	sessionUnavailable = authUnavailable.withDetail("Your session cannot be checked at the moment.")
	crossOriginRefused = problem{
		Status: http.StatusForbidden, Code: "cross_origin", Title: "Request from another site",
		Detail: "No changes were made. Open the page itself and send the form from there.",
	}
)

// sameOrigin refuses requests that change something and come from a page of another origin.
var sameOrigin = http.NewCrossOriginProtection()

// admitSession decides about a request for a page of a service, which needs the session of a person who is a member of
// the organization in the path. Without one a browser is sent to the sign-in page. cookie is the request's header.
func (g *Gate) admitSession(out *responseWriter, r *http.Request, caller netip.Addr, cookie string) *problem {
	if !strings.Contains(cookie, sessionCookie) {
		// Pages of other sites can make a browser send such requests: they are counted as public ones are.
		if refused := g.countPublic(r.Context(), out, caller); refused != nil {
			return refused
		}
		return out.signIn(r, url.Values{}, "")
	}
	v, session := g.checkSession(r.Context(), r, caller, cookie)
	out.window = v.window
	switch {
	case v.refused != nil && v.refused.Code == signInRequired.Code:
		return out.signIn(r, url.Values{"ended": {"1"}}, session.Next)
	case v.refused != nil:
		return v.refused
	}
	out.session = &session
	r.Header["X-Organization-Id"] = []string{session.OrganizationID}
	r.Header["X-Organization-Name"] = []string{url.PathEscape(session.OrganizationName)}
	r.Header["X-User-Id"] = []string{session.UserID}
	r.Header["X-User-Name"] = []string{url.PathEscape(session.Name)}
	r.Header["X-Token-Permissions"] = []string{session.Permissions}
	g.setIdentityPlaceholders(r, identity.Caller{
		Subject: session.UserID, OrganizationID: session.OrganizationID, Permissions: session.Permissions,
		Name: session.Name, OrganizationName: session.OrganizationName, SessionID: session.SessionID,
	})
	requestsTotal.WithLabelValues(personWindow).Inc()
	return nil
}

// checkSession introspects the session of a request. One with an unknown session is charged to its address, as one with
// an unknown token is; a person who was here lately does not pay for others at the address.
func (g *Gate) checkSession(
	ctx context.Context, r *http.Request, caller netip.Addr, cookie string,
) (verdict, introspect.Session) {
	none := introspect.Session{}
	if !g.tokens.KnownSession(cookie) {
		if v := g.checkAddress(ctx, caller); v.refused != nil {
			return v, none
		}
	}
	session, err := g.tokens.Session(ctx, introspect.SessionRequest{
		Cookie: cookie, Organization: organizationIn(r.URL.Path), Client: caller.String(), UserAgent: r.UserAgent(),
	})
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outages.record(err)
	}
	switch {
	case err != nil:
		window, _ := g.peekAddress(ctx, caller)
		return verdict{window: window, refused: &sessionUnavailable}, none
	case !session.Active:
		return g.refuseToken(ctx, caller, signInRequired), session
	}
	v := g.chargePerson(ctx, session.UserID)
	switch {
	case v.refused != nil:
	case session.OrganizationID == "":
		v.refused = new(chainProblems[http.StatusNotFound])
		v.refused.Status = http.StatusNotFound
	case sameOrigin.Check(r) != nil:
		v.refused = &crossOriginRefused
	}
	return v, session
}

// chargePerson counts a request against the window of a person. If it cannot be counted, it passes, as other pages do.
func (g *Gate) chargePerson(ctx context.Context, user string) verdict {
	result, err := g.windows.Take(ctx, user, personQuota)
	decided(personWindow, result, err)
	v := verdict{window: windowState{personWindow, result}}
	if err == nil && !result.Allowed {
		v.refused = rateLimited.until(v.window)
	}
	return v
}

// sessionCookie is part of the name of every cookie that can be a session's.
const sessionCookie = "quayside="

// organizationIn returns the first segment of a path that has the form of an organization's id, or "".
func organizationIn(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		if introspect.IsOrganization(segment) {
			return segment
		}
	}
	return ""
}

// signIn refuses a request without a session. It sends a browser to the page that must be visited first, or to the
// sign-in page with that query, which leads back to the page of a GET or to the list above what a form changes.
func (w *responseWriter) signIn(r *http.Request, query url.Values, first string) *problem {
	next := r.URL.RequestURI()
	if org := organizationIn(r.URL.Path); org != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		above, _, _ := strings.Cut(r.URL.Path, org)
		next = above + org
	}
	query.Set("next", next)
	if w.html {
		w.location = cmp.Or(first, "/sign-in?"+query.Encode())
	}
	return &signInRequired
}
