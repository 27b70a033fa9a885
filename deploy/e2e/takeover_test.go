package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// visitor is a browser: a cookie jar and an address of its own.
type visitor struct{ client *http.Client }

var lastVisitor atomic.Int32

func visit(t *testing.T) visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := clientFrom(fmt.Sprintf("127.77.0.%d", lastVisitor.Add(1)))
	client.Jar, client.CheckRedirect = jar, nil
	return visitor{client}
}

// open returns the status, path and text of the page to which redirects led.
func (v visitor) open(t *testing.T, path string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.do(t, req)
}

// submit sends a form.
func (v visitor) submit(t *testing.T, path string, form url.Values) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, stack.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
	return v.do(t, req)
}

func (v visitor) do(t *testing.T, req *http.Request) (status int, path, text string) {
	t.Helper()
	res, err := v.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Request.URL.Path, string(body)
}

var (
	formNonce      = regexp.MustCompile(`name="form" value="([^"]+)"`)
	invitationCode = regexp.MustCompile(`>([A-Z2-7]{4}(-[A-Z2-7]{4}){4})<`)
)

// An admin of one organization invites the address of a person of another and
// redeems the invitation. When the other organization adds that person, it accepts
// neither the admin's password nor the admin's session.
func TestRedeemingAnInvitationGivesNoAccessToOtherOrganizations(t *testing.T) {
	t.Parallel()
	mine, err := stack.CreateOrganization(t.Context(), "Attacker's")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := stack.CreateOrganization(t.Context(), "Victim's")
	if err != nil {
		t.Fatal(err)
	}
	const admin, victim, chosen = "admin@attacker.example", "person@victim.example", "the attacker's choice"
	password, err := stack.CreateUser(t.Context(), admin, mine, "admin")
	if err != nil {
		t.Fatal(err)
	}
	attacker := visit(t)
	attacker.submit(t, "/sign-in", url.Values{"email": {admin}, "password": {password}})
	_, _, page := attacker.open(t, "/settings/"+mine+"/members")
	nonce := formNonce.FindStringSubmatch(page)
	if nonce == nil {
		t.Fatalf("no form for an invitation in\n%s", page)
	}
	_, _, page = attacker.submit(t, "/settings/"+mine+"/invitations", url.Values{"form": {nonce[1]}, "email": {victim}, "role": {"member"}})
	code := invitationCode.FindStringSubmatch(page)
	if code == nil {
		t.Fatalf("no code in\n%s", page)
	}
	hijacker := visit(t)
	status, path, page := hijacker.submit(t, "/sign-in/invitation",
		url.Values{"email": {victim}, "code": {code[1]}, "name": {"V"}, "password": {chosen}})
	if status != http.StatusOK || path != "/settings/"+mine+"/api" {
		t.Fatalf("redeeming the invitation: %d at %s\n%s", status, path, page)
	}

	if _, err := stack.CreateUser(t.Context(), victim, theirs, "owner"); err == nil || !strings.Contains(err.Error(), "--assume-verified") {
		t.Errorf("adding the unverified account: %v", err)
	}
	ownsNothing := func(when string) {
		t.Helper()
		again := visit(t)
		again.submit(t, "/sign-in", url.Values{"email": {victim}, "password": {chosen}})
		for who, v := range map[string]visitor{"the session": hijacker, "the password": again} {
			for _, section := range []string{"api", "members", "audit-log"} {
				status, path, _ := v.open(t, "/settings/"+theirs+"/"+section)
				if status == http.StatusOK && path != "/sign-in" {
					t.Errorf("%s, by %s: %d at %s", when, who, status, path)
				}
			}
		}
	}
	ownsNothing("refused")

	handed, err := stack.CreateUser(t.Context(), victim, theirs, "owner", "--assume-verified")
	if err != nil || handed == "" {
		t.Fatalf("%q, %v", handed, err)
	}
	ownsNothing("verified")
	if _, path, _ := hijacker.open(t, "/settings/"+mine+"/api"); path != "/sign-in" {
		t.Errorf("the session still works: got %s", path)
	}

	person := visit(t)
	if _, path, page := person.submit(t, "/sign-in", url.Values{"email": {victim}, "password": {handed}}); path != "/settings/password" {
		t.Fatalf("got the page %s\n%s", path, page)
	}
	person.submit(t, "/settings/password", url.Values{"current": {handed}, "password": {"my very own password"}})
	if status, _, page := person.open(t, "/settings/"+theirs+"/members"); status != http.StatusOK || !strings.Contains(page, "You are an owner of this organization") {
		t.Errorf("the person: %d\n%s", status, page)
	}
}
