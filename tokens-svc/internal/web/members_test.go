package web

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// members is a path below Settings › Members of acme.
func members(rest string) string { return "/settings/" + string(acme) + "/members" + rest }

const invitations = "/settings/" + string(acme) + "/members/invitations"

var codeText = regexp.MustCompile(`>([A-Z2-7]{4}(-[A-Z2-7]{4}){4})<`)

// invite invites somebody to acme and returns the code.
func (b *browser) invite(t *testing.T, email, role string) string {
	t.Helper()
	return b.inviteTo(t, acme, email, role)
}

func (b *browser) inviteTo(t *testing.T, org tokens.OrgID, email, role string) string {
	t.Helper()
	path := "/settings/" + string(org)
	res := b.post(t, path+"/members/invitations", url.Values{
		"email": {email}, "role": {role},
	})
	want(t, res, http.StatusOK, "Give this code to "+email)
	found := codeText.FindStringSubmatch(res.Body.String())
	if found == nil {
		t.Fatalf("no code in\n%s", res.Body)
	}
	return found[1]
}

func acceptance(email, code string) url.Values {
	return url.Values{"email": {email}, "code": {code}, "name": {"New Comer"}, "password": {"a new horse battery"}}
}

func TestInvitationFaultsAreShownAtTheirFields(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, admin := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleAdmin)
	code := owner.invite(t, "new@acme.example", "member")
	for text, change := range map[string]url.Values{
		"Enter an e-mail address.":                     {"email": {""}},
		"Enter the code.":                              {"code": {""}},
		"Enter a password.":                            {"password": {""}},
		"Enter a name.":                                {"name": {" "}},
		"Password must have at least 12 characters":    {"password": {"short"}},
		"Password must not be the e-mail address.":     {"password": {"New@acme.example"}},
		"Password is too easy to guess":                {"password": {"aaaaaaaaaaaaaaa"}},
		"Name has 101 characters; at most 100 are all": {"name": {strings.Repeat("ü", 101)}},
	} {
		form := acceptance("new@acme.example", code)
		maps.Copy(form, change)
		want(t, w.browser().post(t, "/sign-in/invitation", form), http.StatusUnprocessableEntity, text,
			`id="summary"`, "!horse battery")
	}
	for text, c := range map[string]struct {
		member      *browser
		email, role string
	}{
		"Enter an e-mail address.":                           {owner, "", "member"},
		"E-mail address must be an e-mail address":           {owner, "nobody", "member"},
		"Role must be one of owner, admin, ":                 {owner, "x@acme.example", "king"},
		"Role must not be owner: only owners invite owners.": {admin, "x@acme.example", "owner"},
		"This person is already a member.":                   {owner, "admin@acme.example", "member"},
	} {
		want(t, c.member.post(t, invitations, url.Values{"email": {c.email}, "role": {c.role}}),
			http.StatusUnprocessableEntity, text)
	}
	wantTo(t, w.browser().post(t, "/sign-in/invitation", acceptance("new@acme.example", code)), shipmentsOfAcme)
}

// TestAnInvitationIsShownOnce: sending its form again makes another code.
func TestAnInvitationIsShownOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	first, second := owner.invite(t, "new@acme.example", "member"), owner.invite(t, "new@acme.example", "member")
	want(t, owner.get(t, members("")), http.StatusOK, "new@acme.example", "!"+second)
	want(t, w.browser().post(t, "/sign-in/invitation", acceptance("new@acme.example", first)),
		http.StatusUnprocessableEntity, "This code isn't valid")
	wantTo(t, w.browser().post(t, "/sign-in/invitation", acceptance("new@acme.example", second)), shipmentsOfAcme)
}

func TestRolesChangeAndMembersGo(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, bert := w.member(t, tokens.RoleOwner), w.member(t, tokens.RoleMember)
	token := w.token(t, bert, "Bert's")
	id := string(w.enroll(t, bert.email, acme, tokens.RoleMember))
	want(t, bert.get(t, api("/new")), http.StatusOK)
	wantTo(t, owner.post(t, members("/"+id+"/role"), url.Values{"role": {"auditor"}}), members(""))
	want(t, bert.get(t, api("/new")), http.StatusForbidden, "You don't have permission")
	want(t, owner.post(t, members("/"+id+"/role"), url.Values{"role": {"king"}}), http.StatusBadRequest)
	want(t, owner.get(t, members("/"+id+"/remove")), http.StatusOK, "<title>Remove member@acme.example ·",
		"Remove member@acme.example?", "make the organization its owner", "Their open invitations are no longer valid.",
		"data-cancel autofocus")
	want(t, bert.get(t, members("/"+id+"/remove")), http.StatusOK, "<title>Leave Acme Citrus ·", "Leave Acme Citrus?")
	wantTo(t, owner.post(t, members("/"+id+"/remove"), nil), members(""))
	want(t, owner.get(t, members("")), http.StatusOK, "The member was removed and no longer has access.")
	wantTo(t, bert.get(t, api("")), "/settings")
	want(t, bert.get(t, "/settings"), http.StatusOK, "You aren't a member of an organization")
	want(t, owner.post(t, members("/"+id+"/remove"), nil), http.StatusNotFound)
	want(t, owner.get(t, members("/"+id+"/remove")), http.StatusNotFound)
	want(t, owner.get(t, api("")), http.StatusOK, token.Name[:4])
	want(t, owner.get(t, "/settings/"+string(acme)+"/audit-log"), http.StatusOK, "Member removed",
		"Member role changed", "To: ", "auditor")
}

func TestForbiddenActionsAreHidden(t *testing.T) {
	t.Parallel()
	w := start(t)
	member := map[tokens.Role]*browser{}
	for _, role := range tokens.Roles() {
		member[role] = w.member(t, role)
	}
	w.enroll(t, "second@acme.example", acme, tokens.RoleOwner)
	w.token(t, member[tokens.RoleOwner], "Owner's")
	everything := []string{
		"Generate API Token", "Rotate Owner&#39;s", "Revoke Owner&#39;s", "Invite a member",
		"Audit log</a>", "Remove second@acme.example",
	}
	hidden := map[tokens.Role][]string{
		tokens.RoleOwner: {}, tokens.RoleAdmin: everything[5:],
		tokens.RoleMember:   {everything[1], everything[2], everything[3], everything[4], everything[5]},
		tokens.RoleReviewer: everything,
		tokens.RolePacker:   everything,
		tokens.RoleAuditor:  {everything[0], everything[1], everything[2], everything[3], everything[5]},
	}
	for role, b := range member {
		pages := b.get(t, api("")).Body.String() + b.get(t, members("")).Body.String()
		for _, text := range everything {
			shown := strings.Contains(pages, text)
			hide := false
			for _, not := range hidden[role] {
				hide = hide || not == text
			}
			if shown == hide {
				t.Errorf("%s: %q shown: %t", role, text, shown)
			}
		}
	}
	// Choices that the form does not offer are refused.
	form := url.Values{
		"form": {member[tokens.RoleMember].nonce(t, api("/new"))}, "name": {"x"},
		"preset": {"custom"}, "permissions": {"admin"},
		"expiry": {"7"}, "environment": {"live"},
	}
	want(t, member[tokens.RoleMember].get(t, api("/new")), http.StatusOK, "!Full access",
		"!webhooks:manage", "documents:write")
	want(t, member[tokens.RoleMember].post(t, api(""), form), http.StatusUnprocessableEntity,
		"admin is more than you may grant")
	form.Set("preset", "full")
	want(t, member[tokens.RoleMember].post(t, api(""), form), http.StatusUnprocessableEntity,
		"is more than you may grant")
}

// TestAnotherOrganizationEqualsAnUnknownOne, on every route.
func TestAnotherOrganizationEqualsAnUnknownOne(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.member(t, tokens.RoleOwner)
	w.enroll(t, "anna@other.example", other, tokens.RoleOwner)
	anna := w.signedIn(t, "anna@other.example")
	for _, rt := range table {
		if !rt.access.member {
			continue
		}
		method, path := concrete(rt.pattern)
		var pages []string
		for _, org := range []string{string(acme), "org_00000000000000000000000000", "nonsense"} {
			res := anna.send(t, method, strings.Replace(path, string(acme), org, 1), url.Values{},
				http.Header{"Sec-Fetch-Site": {"same-origin"}})
			if res.Code != http.StatusNotFound {
				t.Errorf("%s of %s: %d", rt.pattern, org, res.Code)
			}
			pages = append(pages, res.Body.String())
		}
		if pages[0] != pages[1] || pages[1] != pages[2] {
			t.Errorf("%s tells them apart", rt.pattern)
		}
	}
}
