package tokengate

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// The windows of a client address for pages, which use a session instead of a token.
// They are counted apart from the API's, so that neither can use up the other's.
var (
	pageQuota   = ratelimit.Quota{Limit: 600, Window: time.Minute}
	signInQuota = ratelimit.Quota{Limit: 30, Window: time.Minute}
)

// signInPath is the page below which a password, a code or an invitation can be tried.
const signInPath = "/sign-in"

// triesSignIn reports whether a request for a page could try a secret: everything at the sign-in pages but
// a GET of the first one. The return from an identity provider is a GET, and so is an invitation's link.
func triesSignIn(r *http.Request) bool {
	if r.URL.Path != signInPath && !strings.HasPrefix(r.URL.Path, signInPath+"/") {
		return false
	}
	if sameOrigin.Check(r) != nil {
		return false // tokens-svc refuses it without trying, so another site's page cannot use up the window
	}
	looks := r.Method == http.MethodGet || r.Method == http.MethodHead
	return !looks || r.URL.Path != signInPath
}

// admitPage counts a request for a page against the window of its address. If it cannot be counted, it
// passes: tokens must be revocable while Redis is not available, and tokens-svc throttles failed sign-ins itself,
// by account and by address.
func (g *Gate) admitPage(out *responseWriter, r *http.Request, caller netip.Addr) *problem {
	policy, quota := pageWindow, pageQuota
	if triesSignIn(r) {
		policy, quota = signInWindow, signInQuota
	}
	if refused := g.countOpen(r.Context(), out, caller, policy, quota, g.windows.Take); refused != nil {
		return refused
	}
	requestsTotal.WithLabelValues(policy).Inc()
	return nil
}
