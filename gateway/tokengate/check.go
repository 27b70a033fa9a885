package tokengate

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

// credential is the token of a request, and what is known of it without a call.
type credential struct {
	text string
	err  error // bearer's; nil: text is a well-formed token
	// known is what is remembered of it; usable: that may be used without introspection.
	known  *introspect.Result
	usable bool
}

// wasActive reports whether the token was active when it was last introspected, however long ago.
func (c *credential) wasActive() bool { return c.known != nil && c.known.Active }

// recall looks up what is remembered of the token.
func (x *exchange) recall() {
	if c := &x.credential; c.err == nil {
		c.known, c.usable = x.gate.tokens.Cached(c.text)
	}
}

// lookUp finds out who sends a request: the token or the person of a route that needs one.
func (x *exchange) lookUp(r *http.Request) error {
	switch x.route {
	case tokenRoute:
		return x.lookUpToken(r)
	case sessionRoute:
		return x.lookUpSession(r)
	default:
		return nil
	}
}

// lookUpToken requires an active token that may be used from the caller's address.
func (x *exchange) lookUpToken(r *http.Request) error {
	ctx, c := r.Context(), &x.credential
	switch {
	case errors.Is(c.err, bearer.ErrMissing) && x.html:
		// a browser asks for a page where there is none, and could not send a token
		return x.chargeAddress(ctx, publicWindow, problemWith(http.StatusNotFound))
	case errors.Is(c.err, bearer.ErrMissing):
		return x.chargeAddress(ctx, noTokenWindow, missingToken)
	case c.err != nil:
		return x.chargeAddress(ctx, noTokenWindow, malformedToken)
	}

	source := "cache"
	if x.token = c.known; !c.usable {
		// A token that was active does not pay for others at its address.
		if c.known == nil {
			if err := x.checkAddress(invalidTokenWindow); err != nil {
				return err
			}
		}
		var err error
		x.token, err = x.gate.tokens.Introspect(ctx, c.text)
		x.gate.noteIntrospection(err)
		switch {
		case x.token == nil:
			source = "fault"
		case err != nil:
			source = "unconfirmed"
		default:
			source = "service"
		}
	}
	introspectionSeconds.WithLabelValues(source).Observe(time.Since(x.began).Seconds())

	switch {
	case x.token == nil:
		return x.unavailable(invalidTokenWindow, authUnavailable)
	case x.token.Active && !x.token.Admits(x.caller):
		// The token is not valid from there. The caller's address is charged, so that a stolen token cannot be used
		// to spend its owner's requests.
		return x.chargeAddress(ctx, invalidTokenWindow, addressNotAllowed)
	case x.token.Active:
		x.admitted = true
		return nil
	case x.token.Reason == "revoked":
		return x.chargeAddress(ctx, invalidTokenWindow, revokedToken)
	case x.token.Reason == "expired":
		return x.chargeAddress(ctx, invalidTokenWindow, expiredToken)
	default:
		return x.chargeAddress(ctx, invalidTokenWindow, invalidToken)
	}
}

// noteIntrospection records whether the tokens service works. That a caller leaves says nothing about it.
func (g *Gate) noteIntrospection(err error) {
	if err == nil || errors.Is(err, introspect.ErrUnavailable) {
		g.outage.Note(err)
	}
}

// hasSession reports whether the request has the cookie of a session, which may have ended.
func (x *exchange) hasSession() bool {
	return slices.ContainsFunc(x.gate.SessionCookies, func(name string) bool {
		return strings.Contains(x.cookie, name+"=")
	})
}

// lookUpSession requires the session of a person, for a page of a service. Without one a browser is sent to the
// sign-in page. A request with an unknown session is charged to its address, as one with an unknown token is; a person
// who was here lately does not pay for others at the address.
func (x *exchange) lookUpSession(r *http.Request) error {
	ctx := r.Context()
	if !x.hasSession() {
		// Pages of other sites can make a browser send such requests: they are counted as public ones are.
		x.location = x.gate.signInLocation(r, false)
		return x.chargeAddress(ctx, publicWindow, signInRequired)
	}
	if !x.gate.tokens.KnownSession(x.cookie) {
		if err := x.checkAddress(invalidSessionWindow); err != nil {
			return err
		}
	}
	session, err := x.gate.tokens.Session(ctx, introspect.SessionRequest{
		Cookie: x.cookie, Organization: x.gate.organizationIn(r.URL.Path), Client: x.caller.String(),
		UserAgent: r.UserAgent(),
	})
	x.gate.noteIntrospection(err)
	switch {
	case err != nil:
		return x.unavailable(invalidSessionWindow, sessionUnavailable)
	case !session.Active:
		x.location = cmp.Or(session.Next, x.gate.signInLocation(r, true))
		return x.chargeAddress(ctx, invalidSessionWindow, signInRequired)
	}
	x.session = &session
	return nil
}

// organizationIn returns the first segment of a path that has the form of an organization's id, or "".
func (g *Gate) organizationIn(path string) string {
	for segment := range strings.SplitSeq(path, "/") {
		if g.tokens.IsOrganization(segment) {
			return segment
		}
	}
	return ""
}

// signInLocation returns the address of the sign-in page, which leads back to the page of a GET or to the list above
// what a form changes. ended says that there was a session.
func (g *Gate) signInLocation(r *http.Request, ended bool) string {
	query := url.Values{"next": {r.URL.RequestURI()}}
	if org := g.organizationIn(r.URL.Path); org != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		above, _, _ := strings.Cut(r.URL.Path, org)
		query.Set("next", above+org)
	}
	if ended {
		query.Set("ended", "1")
	}
	return g.SignIn + "?" + query.Encode()
}
