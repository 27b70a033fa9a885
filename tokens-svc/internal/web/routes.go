package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// route is one method of one path. Paths below /settings are for people who are signed in; others are
// redirected to sign-in. Those of an {org} are for its members; for others they do not exist.
type route struct {
	pattern string // in http.ServeMux's syntax
	do      func(*site, context.Context, *visit) (answer, error)
	// may reports whether a member has access; nil: every member.
	may func(*visit) bool
	// watch marks polling by a page, which does not extend the session.
	watch bool
	// on reports whether the site has the route; nil: every site.
	on func(*site) bool
	// proof marks routes for which the person must have proved recently who they are: see prove.
	proof bool
	// temporary marks routes that are allowed while a temporary password must be changed.
	temporary bool
}

func (rt route) forSignedIn() bool {
	return strings.Contains(rt.pattern, " /settings") && rt.pattern != signOutRoute
}

func (rt route) forMembers() bool { return strings.Contains(rt.pattern, "{org}") }

// signOutRoute is for everyone, so that a browser whose session has ended is signed out, too.
const signOutRoute = "POST /settings/sign-out"

// table is every route. Tests of properties that hold for all routes use it,
// such as the protection against requests from elsewhere, from it.
var table = []route{
	{pattern: "GET /sign-in", do: (*site).showSignIn},
	{pattern: "POST /sign-in", on: hasPasswords, do: (*site).signIn},
	{pattern: "GET /sign-in/code", on: hasPasswords, do: (*site).showCode},
	{pattern: "POST /sign-in/code", on: hasPasswords, do: (*site).signInWithCode},
	{pattern: "POST /sign-in/passkey", on: hasPasskeys, do: (*site).signInWithPasskey},
	{pattern: "POST /sign-in/passkey/challenge", on: hasPasskeys, do: (*site).challengePasskey},
	{pattern: "GET /sign-in/oidc", on: hasIssuer, do: (*site).startOIDC},
	{pattern: "GET /sign-in/callback", on: hasIssuer, do: (*site).finishOIDC},
	{pattern: "GET /sign-in/invitation", do: (*site).showInvitation},
	{pattern: "POST /sign-in/invitation", on: hasPasswords, do: (*site).acceptInvitation},
	{pattern: "GET /sign-in/forgot", on: resets, do: show(forgotPage)},
	{pattern: "POST /sign-in/forgot", on: resets, do: (*site).requestReset},
	{pattern: "GET /sign-in/reset", on: resets, do: show(resetPage)},
	{pattern: "POST /sign-in/reset", on: resets, do: (*site).resetPassword},

	{pattern: "GET /settings", do: (*site).chooseOrganization},
	{pattern: "POST /settings/join", do: (*site).joinOrganization},
	{pattern: "POST /settings/decline", do: (*site).declineInvitation},
	{pattern: signOutRoute, do: (*site).signOut},
	{pattern: "GET /settings/password", on: hasPasswords, temporary: true, do: show(passwordPage)},
	{pattern: "POST /settings/password", on: hasPasswords, temporary: true, do: (*site).changePassword},
	{pattern: "GET /settings/security", on: hasFactors, do: (*site).showSecurity},
	{pattern: "GET /settings/security/app", on: hasApps, do: (*site).showApp},
	{pattern: "POST /settings/security/app/new", on: hasApps, proof: true, do: (*site).newApp},
	{pattern: "POST /settings/security/app", on: hasApps, proof: true, do: (*site).addApp},
	{pattern: "POST /settings/security/app/remove", on: hasFactors, proof: true, do: (*site).removeApp},
	{pattern: "POST /settings/security/passkeys", on: hasPasskeys, proof: true, do: (*site).addPasskey},
	{pattern: "POST /settings/security/passkeys/challenge", on: hasPasskeys, do: (*site).challengeNewPasskey},
	{pattern: "POST /settings/security/passkeys/remove", on: hasFactors, proof: true, do: (*site).removePasskey},
	{pattern: "GET " + provePath, do: (*site).showProof},
	{pattern: "POST " + provePath, proof: true, do: (*site).returnWithProof},
	{pattern: "GET /settings/verify", on: mails, do: show(verifyPage)},
	{pattern: "POST /settings/verify", on: mails, do: (*site).verifyAddress},
	{pattern: "POST /settings/verify/send", on: mails, do: (*site).requestVerification},
	{pattern: "GET /settings/account", do: (*site).showAccount},
	{pattern: "POST /settings/account/name", do: (*site).rename},
	{pattern: "POST /settings/account/sessions/end", do: (*site).endSession},
	{pattern: "POST /settings/account/sessions/end-others", do: (*site).endOtherSessions},

	{pattern: "GET /settings/{org}", do: (*site).toAPI},
	{pattern: "GET /settings/{org}/api", do: (*site).listTokens},
	{pattern: "POST /settings/{org}/api", may: mayCreate, proof: true, do: (*site).generate},
	{pattern: "GET /settings/{org}/api/new", may: mayCreate, do: (*site).showGenerate},
	{pattern: "GET /settings/{org}/api/{token}", do: (*site).showToken},
	{pattern: "GET /settings/{org}/api/{token}/first-use", watch: true, do: (*site).firstUse},
	{pattern: "GET /settings/{org}/api/{token}/edit", do: (*site).showEdit},
	{pattern: "POST /settings/{org}/api/{token}/edit", proof: true, do: (*site).edit},
	{pattern: "GET /settings/{org}/api/{token}/rotate", do: (*site).showRotate},
	{pattern: "POST /settings/{org}/api/{token}/rotate", proof: true, do: (*site).rotate},
	{pattern: "GET /settings/{org}/api/{token}/revoke", do: (*site).showRevoke},
	{pattern: "POST /settings/{org}/api/{token}/revoke", do: (*site).revoke},

	{pattern: "GET /settings/{org}/members", do: (*site).listMembers},
	{pattern: "POST /settings/{org}/invitations", may: mayManage, proof: true, do: (*site).invite},
	{pattern: "POST /settings/{org}/invitations/{invitation}/withdraw", may: mayManage, do: (*site).withdraw},
	{pattern: "POST /settings/{org}/members/{user}/role", may: mayManage, proof: true, do: (*site).changeRole},
	{pattern: "GET /settings/{org}/members/{user}/remove", do: (*site).showRemove},
	{pattern: "POST /settings/{org}/members/{user}/remove", proof: true, do: (*site).remove},
	{pattern: "GET /settings/{org}/organization", do: show(organizationPage)},
	{
		pattern: "POST /settings/{org}/organization", may: mayChangeOrganization, proof: true,
		do: (*site).changeOrganization,
	},
	{pattern: "GET /settings/{org}/audit-log", may: mayReadAudit, do: (*site).listEvents},
}

func hasPasswords(s *site) bool { return s.Passwords }
func hasIssuer(s *site) bool    { return s.Issuer != nil }
func hasApps(s *site) bool      { return s.Passwords && s.People.Apps() }
func hasPasskeys(s *site) bool  { return s.Passwords && s.People.Passkeys() }
func hasFactors(s *site) bool   { return hasApps(s) || hasPasskeys(s) }
func mails(s *site) bool        { return s.People.Mails() }
func resets(s *site) bool       { return s.Passwords && s.People.Mails() }

func mayCreate(v *visit) bool             { return v.principal().MayCreate() }
func mayReadAudit(v *visit) bool          { return v.principal().Audit }
func mayChangeOrganization(v *visit) bool { return v.principal().Owners }

func mayManage(v *visit) bool { return v.principal().Members }

// routes returns the handler of all routes. Static files lie beside them: their
// path cannot be that of an organization.
func (s *site) routes() http.Handler {
	mux := problem.NewRoutesRefusing(func(w http.ResponseWriter, r *http.Request, p problem.Problem) {
		s.write(w, r, nil, errorPage(p.Status))
	})
	for _, r := range table {
		mux.Handle(r.pattern, s.serve(r))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, staticPath) {
			set.ServeStatic(w, r, func(status int) { s.write(w, r, nil, errorPage(status)) })
			return
		}
		mux.ServeHTTP(w, r)
	})
}
