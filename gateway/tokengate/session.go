package tokengate

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/quayside/quayside/gateway/internal/identity"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

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

// signInPath is the page below which a password, a code or an invitation can be tried.
const signInPath = "/sign-in"

// windowOfPage returns the window of a request for a page. That of signing in is for all that could try a secret:
// everything at the sign-in pages but a GET of the first one. The return from an identity provider is a GET, and so is
// an invitation's link. Neither needs Redis: tokens must be revocable while it is not available, and tokens-svc
// throttles failed sign-ins itself, by account and by address.
func windowOfPage(r *http.Request) ratelimit.Window {
	switch reads := r.Method == http.MethodGet || r.Method == http.MethodHead; {
	case r.URL.Path != signInPath && !strings.HasPrefix(r.URL.Path, signInPath+"/"),
		r.URL.Path == signInPath && reads,
		sameOrigin.Check(r) != nil: // tokens-svc refuses it without trying, so another site's page cannot use up the window
		return pageWindow
	default:
		return signInWindow
	}
}

// admitSession decides about a request for a page of a service, which needs the session of a person who is a member of
// the organization in the path. Without one a browser is sent to the sign-in page.
func (g *Gate) admitSession(out *responseWriter, r *http.Request, came arrival) verdict {
	if !strings.Contains(came.cookie, sessionCookie) {
		// Pages of other sites can make a browser send such requests: they are counted as public ones are.
		out.location = signInLocation(r, false)
		return g.chargeAddress(r.Context(), came.caller, publicWindow, &signInRequired)
	}
	v := g.checkSession(out, r, came)
	if v.refused != nil {
		return v
	}
	out.release()
	session := v.session
	r.Header["X-Organization-Id"] = []string{session.OrganizationID}
	r.Header["X-Organization-Name"] = []string{url.PathEscape(session.OrganizationName)}
	r.Header["X-User-Id"] = []string{session.UserID}
	r.Header["X-User-Name"] = []string{url.PathEscape(session.Name)}
	if session.AuthTime != 0 {
		r.Header["X-User-Auth-Time"] = []string{strconv.FormatInt(session.AuthTime, 10)}
	}
	r.Header["X-Token-Permissions"] = []string{session.Permissions}
	g.setAssertions(r, identity.Caller{
		Subject: session.UserID, OrganizationID: session.OrganizationID, Permissions: session.Permissions,
		Name: session.Name, OrganizationName: session.OrganizationName, SessionID: session.SessionID,
		AuthTime: session.AuthTime,
	})
	return v
}

// checkSession introspects the session of a request. One with an unknown session is charged to its address, as one with
// an unknown token is; a person who was here lately does not pay for others at the address.
func (g *Gate) checkSession(out *responseWriter, r *http.Request, came arrival) verdict {
	ctx := r.Context()
	if !g.tokens.KnownSession(came.cookie) {
		if v := g.checkAddress(came.caller, invalidSessionWindow); v.refused != nil {
			return v
		}
	}
	session, err := g.tokens.Session(ctx, introspect.SessionRequest{
		Cookie: came.cookie, Organization: organizationIn(r.URL.Path), Client: came.caller.String(), UserAgent: r.UserAgent(),
	})
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outage.Note(err)
	}
	switch {
	case err != nil:
		return g.unavailable(came.caller, invalidSessionWindow, &sessionUnavailable)
	case !session.Active:
		out.location = cmp.Or(session.Next, signInLocation(r, true))
		return g.chargeAddress(ctx, came.caller, invalidSessionWindow, &signInRequired)
	}
	// If the request cannot be counted, it passes, as those for other pages do.
	result, err := g.windows.Take(ctx, personWindow.Of(session.UserID))
	decided(result, err)
	v := verdict{window: result}
	switch {
	case err == nil && !result.Allowed:
		v.refused = rateLimited.until(v.window)
	case session.OrganizationID == "":
		v.refused = problemWith(http.StatusNotFound)
	case sameOrigin.Check(r) != nil:
		v.refused = &crossOriginRefused
	default:
		v.session = &session
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

// signInLocation returns the address of the sign-in page, which leads back to the page of a GET or to the list above
// what a form changes. ended says that there was a session.
func signInLocation(r *http.Request, ended bool) string {
	query := url.Values{"next": {r.URL.RequestURI()}}
	if org := organizationIn(r.URL.Path); org != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		above, _, _ := strings.Cut(r.URL.Path, org)
		query.Set("next", above+org)
	}
	if ended {
		query.Set("ended", "1")
	}
	return signInPath + "?" + query.Encode()
}
