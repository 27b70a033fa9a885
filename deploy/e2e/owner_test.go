package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// signIn makes a person a member of an organization and signs them in.
func signIn(t *testing.T, organization, name, role string) visitor {
	t.Helper()
	email := name + "-" + strings.TrimPrefix(organization, "org_") + "@acme.example"
	password, err := stack.CreateUser(t.Context(), email, organization, role)
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t)
	v.post(t, "/sign-in", url.Values{"email": {email}, "password": {password}})
	return v
}

// get opens a page, which must exist.
func (v visitor) get(t *testing.T, path string) string {
	t.Helper()
	status, at, page := v.open(t, path)
	if status != http.StatusOK || at != path {
		t.Fatalf("%s: %d at %s\n%s", path, status, at, page)
	}
	return page
}

// post submits a form, which must be accepted.
func (v visitor) post(t *testing.T, path string, form url.Values) string {
	t.Helper()
	status, at, page := v.submit(t, path, form)
	if status != http.StatusOK || at == "/sign-in" {
		t.Fatalf("%s: %d at %s\n%s", path, status, at, page)
	}
	return page
}

// found returns the match of the pattern's group in a page.
func found(t *testing.T, page, pattern string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if match == nil {
		t.Fatalf("no %s in %s", pattern, page)
	}
	return match[1]
}

// A change of the role applies at every gateway within the published bound, until the
// token is transferred to the organization.
func TestATokenFollowsItsOwnersRole(t *testing.T) {
	t.Parallel()
	organization, err := stack.CreateOrganization(t.Context(), "Roles")
	if err != nil {
		t.Fatal(err)
	}
	owner, admin := signIn(t, organization, "olga", "owner"), signIn(t, organization, "anna", "admin")
	settings := "/settings/" + organization
	nonce := found(t, admin.get(t, settings+"/api/new"), `name="form" value="([^"]+)"`)
	secret := found(t, admin.post(t, settings+"/api", url.Values{
		"form": {nonce}, "name": {"ERP"}, "preset": {"full"}, "expiry": {"90"}, "environment": {"live"},
	}), `(shpt_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38})`)
	id := "tok_" + strings.Split(secret, "_")[2]
	if err := stack.UpdateToken(t.Context(), id, "--limit", "10000"); err != nil {
		t.Fatal(err)
	}
	may := func(path string) bool {
		t.Helper()
		a := do(t, call{path: path, token: secret, from: "127.0.0.132"})
		if a.status != http.StatusOK {
			a.wants(t, http.StatusForbidden, "insufficient_permission")
		}
		return a.status == http.StatusOK
	}
	effective := func() []string {
		t.Helper()
		return decode[struct {
			Token struct {
				Effective []string `json:"effective_permissions"`
			}
		}](t, do(t, call{path: "/api/v1/token", token: secret, from: "127.0.0.132"})).Token.Effective
	}
	if !may("/api/v1/tokens") || !may("/api/v1/shipments") {
		t.Fatal("the token of an admin lacks a granted permission")
	}
	anna := found(t, owner.get(t, settings+"/members"), `/members/(usr_[0-9a-z]{26})/remove" aria-label="Remove anna-`)

	owner.post(t, settings+"/members/"+anna+"/role", url.Values{"role": {"member"}})
	eventually(t, 11*time.Second, "the member's bounds", func() bool { return !may("/api/v1/tokens") })
	if got := effective(); !may("/api/v1/shipments") || slices.Contains(got, "admin") || !slices.Contains(got, "shipments:write") {
		t.Errorf("a member's token: got the permissions %v", got)
	}
	owner.post(t, settings+"/members/"+anna+"/remove", url.Values{})
	eventually(t, 11*time.Second, "the removal", func() bool { return !may("/api/v1/shipments") })
	if got := effective(); len(got) > 0 {
		t.Errorf("the token of a former member: got the permissions %v, want none", got)
	}
	if page := owner.post(t, settings+"/api/"+id+"/hand-over", url.Values{}); !strings.Contains(page, "now belongs to the organization") {
		t.Errorf("not transferred: %s", page)
	}
	eventually(t, 11*time.Second, "the organization's token", func() bool { return may("/api/v1/tokens") })
}
