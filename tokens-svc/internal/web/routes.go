package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

// access is the authentication that a route needs.
type access int

const (
	everyone access = iota
	signedIn        // others are redirected to sign-in
	member          // likewise; 404 for others than members of {org}
)

// route is one method of one path.
type route struct {
	pattern string // in http.ServeMux's syntax
	access  access
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
	{pattern: "GET /sign-in/forgot", on: resets, do: show((*site).forgotForm)},
	{pattern: "POST /sign-in/forgot", on: resets, do: (*site).requestReset},
	{pattern: "GET /sign-in/reset", on: resets, do: show((*site).resetForm)},
	{pattern: "POST /sign-in/reset", on: resets, do: (*site).resetPassword},

	{pattern: "GET /settings", access: signedIn, do: (*site).chooseOrganization},
	{pattern: "POST /settings/join", access: signedIn, do: (*site).joinOrganization},
	{pattern: "POST /settings/decline", access: signedIn, do: (*site).declineInvitation},
	{pattern: "POST /settings/sign-out", do: (*site).signOut},
	{
		pattern: "GET /settings/password", access: signedIn, on: hasPasswords, temporary: true,
		do: (*site).showPassword,
	},
	{
		pattern: "POST /settings/password", access: signedIn, on: hasPasswords, temporary: true,
		do: (*site).changePassword,
	},
	{pattern: "GET /settings/security", access: signedIn, on: hasFactors, do: (*site).showSecurity},
	{pattern: "GET /settings/security/app", access: signedIn, on: hasApps, do: (*site).showApp},
	{pattern: "POST /settings/security/app/new", access: signedIn, on: hasApps, proof: true, do: (*site).newApp},
	{pattern: "POST /settings/security/app", access: signedIn, on: hasApps, proof: true, do: (*site).addApp},
	{pattern: "POST /settings/security/app/remove", access: signedIn, on: hasFactors, proof: true, do: (*site).removeApp},
	{pattern: "POST /settings/security/passkeys", access: signedIn, on: hasPasskeys, proof: true, do: (*site).addPasskey},
	{
		pattern: "POST /settings/security/passkeys/challenge", access: signedIn, on: hasPasskeys,
		do: (*site).challengeNewPasskey,
	},
	{
		pattern: "POST /settings/security/passkeys/remove", access: signedIn, on: hasFactors, proof: true,
		do: (*site).removePasskey,
	},
	{pattern: "GET /settings/verify", access: signedIn, on: mails, do: show((*site).verifyForm)},
	{pattern: "POST /settings/verify", access: signedIn, on: mails, do: (*site).verifyAddress},
	{pattern: "POST /settings/verify/send", access: signedIn, on: mails, do: (*site).requestVerification},
	{pattern: "GET /settings/account", access: signedIn, do: (*site).showAccount},
	{pattern: "POST /settings/account/sessions/end", access: signedIn, do: (*site).endSession},
	{pattern: "POST /settings/account/sessions/end-others", access: signedIn, do: (*site).endOtherSessions},

	{pattern: "GET /settings/{org}", access: member, do: (*site).toAPI},
	{pattern: "GET /settings/{org}/api", access: member, do: (*site).listTokens},
	{pattern: "POST /settings/{org}/api", access: member, may: mayCreate, proof: true, do: (*site).generate},
	{pattern: "GET /settings/{org}/api/new", access: member, may: mayCreate, do: (*site).showGenerate},
	{pattern: "GET /settings/{org}/api/{token}", access: member, do: (*site).showToken},
	{pattern: "GET /settings/{org}/api/{token}/first-use", access: member, watch: true, do: (*site).firstUse},
	{pattern: "GET /settings/{org}/api/{token}/edit", access: member, do: (*site).showEdit},
	{pattern: "POST /settings/{org}/api/{token}/edit", access: member, proof: true, do: (*site).edit},
	{pattern: "GET /settings/{org}/api/{token}/rotate", access: member, do: (*site).showRotate},
	{pattern: "POST /settings/{org}/api/{token}/rotate", access: member, proof: true, do: (*site).rotate},
	{pattern: "GET /settings/{org}/api/{token}/revoke", access: member, do: (*site).showRevoke},
	{pattern: "POST /settings/{org}/api/{token}/revoke", access: member, do: (*site).revoke},
	{pattern: "POST /settings/{org}/api/{token}/hand-over", access: member, may: mayChooseOwner, do: (*site).handOver},

	{pattern: "GET /settings/{org}/members", access: member, do: (*site).listMembers},
	{pattern: "POST /settings/{org}/invitations", access: member, may: mayManage, proof: true, do: (*site).invite},
	{
		pattern: "POST /settings/{org}/invitations/{invitation}/withdraw", access: member,
		may: mayManage, do: (*site).withdraw,
	},
	{
		pattern: "POST /settings/{org}/members/{user}/role", access: member, may: mayManage, proof: true,
		do: (*site).changeRole,
	},
	{pattern: "GET /settings/{org}/members/{user}/remove", access: member, do: (*site).showRemove},
	{pattern: "POST /settings/{org}/members/{user}/remove", access: member, proof: true, do: (*site).remove},
	{pattern: "GET /settings/{org}/organization", access: member, do: (*site).showOrganization},
	{
		pattern: "POST /settings/{org}/organization", access: member,
		may: mayChangeOrganization, do: (*site).changeOrganization,
	},
	{pattern: "GET /settings/{org}/audit-log", access: member, may: mayReadAudit, do: (*site).listEvents},
}

func hasPasswords(s *site) bool { return s.Passwords }
func hasIssuer(s *site) bool    { return s.Issuer != nil }
func hasApps(s *site) bool      { return s.Passwords && s.People.Apps() }
func hasPasskeys(s *site) bool  { return s.Passwords && s.People.Passkeys() }
func hasFactors(s *site) bool   { return hasApps(s) || hasPasskeys(s) }
func mails(s *site) bool        { return s.People.Mails() }
func resets(s *site) bool       { return s.Passwords && s.People.Mails() }

func mayCreate(v *visit) bool             { return v.principal().MayCreate() }
func mayReadAudit(v *visit) bool          { return v.principal().MayReadAudit() }
func mayChooseOwner(v *visit) bool        { return v.principal().MayChooseOwner() }
func mayChangeOrganization(v *visit) bool { return v.principal().MayChangeOrganization() }

func mayManage(v *visit) bool { return v.current.Role.ManagesMembers() }

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
