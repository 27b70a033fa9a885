package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// route is one method of one path.
type route struct {
	pattern string // in http.ServeMux's syntax
	access  access
	do      func(*site, context.Context, *visit) (answer, error)
	// watch marks polling by a page, which does not extend the session.
	watch bool
	// on reports whether the site has the route; nil: every site.
	on func(*site) bool
	// proof marks routes for which the person must have proved recently who they are: see prove.
	proof bool
	// temporary marks routes that are allowed while a temporary password must be changed.
	temporary bool
}

// access is who may use a route. People who are not signed in are redirected to sign-in; for those who are no members
// of {org} its routes do not exist.
type access struct {
	anyone, member bool
	may            func(tokens.Principal) bool // of members; nil: all
}

var (
	anyone  = access{anyone: true}
	person  = access{} // who is signed in
	member  = access{member: true}
	creator = access{member: true, may: tokens.Principal.MayCreate}
	manager = access{member: true, may: func(p tokens.Principal) bool { return p.Members }}
	owner   = access{member: true, may: func(p tokens.Principal) bool { return p.Owners }}
	auditor = access{member: true, may: func(p tokens.Principal) bool { return p.Audit }}
)

// table is every route. Tests of properties that hold for all routes use it,
// such as the protection against requests from elsewhere, from it.
var table = []route{
	{pattern: "GET /sign-in", access: anyone, do: (*site).showSignIn},
	{pattern: "POST /sign-in", access: anyone, on: hasPasswords, do: (*site).signIn},
	{pattern: "GET /sign-in/code", access: anyone, on: hasPasswords, do: (*site).showCode},
	{pattern: "POST /sign-in/code", access: anyone, on: hasPasswords, do: (*site).signInWithCode},
	{pattern: "POST /sign-in/passkey", access: anyone, on: hasPasskeys, do: (*site).signInWithPasskey},
	{pattern: "POST /sign-in/passkey/challenge", access: anyone, on: hasPasskeys, do: (*site).challengePasskey},
	{pattern: "GET /sign-in/oidc", access: anyone, on: hasIssuer, do: (*site).startOIDC},
	{pattern: "GET /sign-in/callback", access: anyone, on: hasIssuer, do: (*site).finishOIDC},
	{pattern: "GET /sign-in/invitation", access: anyone, do: (*site).showInvitation},
	{pattern: "POST /sign-in/invitation", access: anyone, on: hasPasswords, do: (*site).acceptInvitation},
	{pattern: "GET /sign-in/forgot", access: anyone, on: resets, do: show(forgotPage)},
	{pattern: "POST /sign-in/forgot", access: anyone, on: resets, do: (*site).requestReset},
	{pattern: "GET /sign-in/reset", access: anyone, on: resets, do: show(resetPage)},
	{pattern: "POST /sign-in/reset", access: anyone, on: resets, do: (*site).resetPassword},

	{pattern: "GET /settings", access: person, do: (*site).chooseOrganization},
	{pattern: "POST /settings/join", access: person, do: (*site).joinOrganization},
	{pattern: "POST /settings/decline", access: person, do: (*site).declineInvitation},
	// A browser whose session has ended is signed out, too.
	{pattern: "POST /settings/sign-out", access: anyone, do: (*site).signOut},
	{pattern: "GET /settings/password", access: person, on: hasPasswords, temporary: true, do: show(passwordPage)},
	{pattern: "POST /settings/password", access: person, on: hasPasswords, temporary: true, do: (*site).changePassword},
	{pattern: "GET /settings/security", access: person, on: hasFactors, do: (*site).showSecurity},
	{pattern: "GET /settings/security/app", access: person, on: hasApps, do: (*site).showApp},
	{pattern: "POST /settings/security/app/new", access: person, on: hasApps, proof: true, do: (*site).newApp},
	{pattern: "POST /settings/security/app", access: person, on: hasApps, proof: true, do: (*site).addApp},
	{pattern: "POST /settings/security/app/remove", access: person, on: hasFactors, proof: true, do: (*site).removeApp},
	{pattern: "POST /settings/security/passkeys", access: person, on: hasPasskeys, proof: true, do: (*site).addPasskey},
	{
		pattern: "POST /settings/security/passkeys/challenge", access: person, on: hasPasskeys,
		do: (*site).challengeNewPasskey,
	},
	{
		pattern: "POST /settings/security/passkeys/remove", access: person, on: hasFactors, proof: true,
		do: (*site).removePasskey,
	},
	{pattern: "GET " + provePath, access: person, do: (*site).showProof},
	{pattern: "POST " + provePath, access: person, proof: true, do: (*site).returnWithProof},
	{pattern: "GET /settings/verify", access: person, on: mails, do: show(verifyPage)},
	{pattern: "POST /settings/verify", access: person, on: mails, do: (*site).verifyAddress},
	{pattern: "POST /settings/verify/send", access: person, on: mails, do: (*site).requestVerification},
	{pattern: "GET /settings/account", access: person, do: (*site).showAccount},
	{pattern: "POST /settings/account/name", access: person, do: (*site).rename},
	{pattern: "POST /settings/account/sessions/end", access: person, do: (*site).endSession},
	{pattern: "POST /settings/account/sessions/end-others", access: person, do: (*site).endOtherSessions},

	{pattern: "GET /settings/{org}", access: member, do: (*site).toAPI},
	{pattern: "GET /settings/{org}/api", access: member, do: (*site).listTokens},
	{pattern: "POST /settings/{org}/api", access: creator, proof: true, do: (*site).generate},
	{pattern: "GET /settings/{org}/api/new", access: creator, do: (*site).showGenerate},
	{pattern: "GET /settings/{org}/api/usage", access: member, do: (*site).showUsage},
	{pattern: "GET /settings/{org}/api/{token}", access: member, do: (*site).showToken},
	{pattern: "GET /settings/{org}/api/{token}/first-use", access: member, watch: true, do: (*site).firstUse},
	{pattern: "GET /settings/{org}/api/{token}/edit", access: member, do: (*site).showEdit},
	{pattern: "POST /settings/{org}/api/{token}/edit", access: member, proof: true, do: (*site).edit},
	{pattern: "GET /settings/{org}/api/{token}/rotate", access: member, do: (*site).showRotate},
	{pattern: "POST /settings/{org}/api/{token}/rotate", access: member, proof: true, do: (*site).rotate},
	{pattern: "GET /settings/{org}/api/{token}/revoke", access: member, do: (*site).showRevoke},
	{pattern: "POST /settings/{org}/api/{token}/revoke", access: member, do: (*site).revoke},

	{pattern: "GET /settings/{org}/members", access: member, do: (*site).listMembers},
	{pattern: "POST /settings/{org}/members/invitations", access: manager, proof: true, do: (*site).invite},
	{pattern: "POST /settings/{org}/members/invitations/{invitation}/withdraw", access: manager, do: (*site).withdraw},
	{pattern: "POST /settings/{org}/members/{user}/role", access: manager, proof: true, do: (*site).changeRole},
	{pattern: "GET /settings/{org}/members/{user}/remove", access: member, do: (*site).showRemove},
	{pattern: "POST /settings/{org}/members/{user}/remove", access: member, proof: true, do: (*site).remove},
	{pattern: "GET /settings/{org}/organization", access: member, do: show(organizationPage)},
	{pattern: "POST /settings/{org}/organization", access: owner, proof: true, do: (*site).changeOrganization},
	{pattern: "GET /settings/{org}/audit-log", access: auditor, do: (*site).listEvents},
}

func hasPasswords(s *site) bool { return s.Passwords }
func hasIssuer(s *site) bool    { return s.Issuer != nil }
func hasApps(s *site) bool      { return s.Passwords && s.People.Apps() }
func hasPasskeys(s *site) bool  { return s.Passwords && s.People.Passkeys() }
func hasFactors(s *site) bool   { return hasApps(s) || hasPasskeys(s) }
func mails(s *site) bool        { return s.People.Mails() }
func resets(s *site) bool       { return s.Passwords && s.People.Mails() }

// routes returns the handler of all routes. Static files lie beside them: their path cannot be that of an organization.
func (s *site) routes() http.Handler {
	mux := problem.NewRoutesRefusing(func(w http.ResponseWriter, r *http.Request, p problem.Problem) {
		s.write(w, r, errorPage(p.Status))
	})
	for _, r := range table {
		mux.Handle(r.pattern, s.serve(r))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, staticPath) {
			set.ServeStatic(w, r, func(status int) { s.write(w, r, errorPage(status)) })
			return
		}
		mux.ServeHTTP(w, r)
	})
}
