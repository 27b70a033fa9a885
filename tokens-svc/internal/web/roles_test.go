package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// managers, owners and so on are the roles that a route is for.
var (
	owners   = []tokens.Role{tokens.RoleOwner}
	managers = []tokens.Role{tokens.RoleOwner, tokens.RoleAdmin}
	makers   = []tokens.Role{tokens.RoleOwner, tokens.RoleAdmin, tokens.RoleMember}
	readers  = []tokens.Role{tokens.RoleOwner, tokens.RoleAdmin, tokens.RoleAuditor}
)

// TestEachRouteIsForItsRoles, asked for by every role about an owner, an owner's token and an owner's invitation.
func TestEachRouteIsForItsRoles(t *testing.T) {
	t.Parallel()
	w := start(t)
	browsers := map[tokens.Role]*browser{}
	for _, role := range tokens.Roles() {
		browsers[role] = w.member(t, role)
	}
	second := string(w.enroll(t, "second@acme.example", acme, tokens.RoleOwner))
	browsers[tokens.RoleOwner].invite(t, "new@acme.example", "owner")
	ids := strings.NewReplacer("{org}", string(acme), "{user}", second,
		"{invitation}", w.query(t, `SELECT id FROM invitations`),
		"{token}", string(w.token(t, browsers[tokens.RoleOwner], "Owner's").ID))
	const token = "/settings/{org}/api/{token}"
	roles := map[string][]tokens.Role{
		"GET /settings/{org}":                                            tokens.Roles(),
		"GET /settings/{org}/api":                                        tokens.Roles(),
		"GET /settings/{org}/api/usage":                                  tokens.Roles(),
		"POST /settings/{org}/api":                                       makers,
		"GET /settings/{org}/api/new":                                    makers,
		"GET " + token:                                                   tokens.Roles(),
		"GET " + token + "/first-use":                                    tokens.Roles(),
		"GET " + token + "/edit":                                         managers,
		"POST " + token + "/edit":                                        managers,
		"GET " + token + "/rotate":                                       managers,
		"POST " + token + "/rotate":                                      managers,
		"GET " + token + "/revoke":                                       managers,
		"POST " + token + "/revoke":                                      managers,
		"GET /settings/{org}/members":                                    tokens.Roles(),
		"POST /settings/{org}/members/invitations":                       managers,
		"POST /settings/{org}/members/invitations/{invitation}/withdraw": owners,
		"POST /settings/{org}/members/{user}/role":                       owners,
		"GET /settings/{org}/members/{user}/remove":                      owners,
		"POST /settings/{org}/members/{user}/remove":                     owners,
		"GET /settings/{org}/organization":                               tokens.Roles(),
		"POST /settings/{org}/organization":                              owners,
		"GET /settings/{org}/audit-log":                                  readers,
	}
	form := url.Values{"overlap": {"0"}, "role": {"owner"}}
	for _, rt := range table {
		allowed, known := roles[rt.pattern]
		if rt.access.member && !known {
			t.Errorf("%s: which roles is it for?", rt.pattern)
		}
		if !rt.access.member {
			continue
		}
		method, path, _ := strings.Cut(ids.Replace(rt.pattern), " ")
		for _, role := range slices.Backward(tokens.Roles()) { // the owner last, who removes the other one
			code := browsers[role].send(t, method, path, form, http.Header{"Sec-Fetch-Site": {"same-origin"}}).Code
			if refused := code == http.StatusForbidden; refused == slices.Contains(allowed, role) || code >= 500 {
				t.Errorf("%s by the %s: %d", rt.pattern, role, code)
			}
		}
	}
}
