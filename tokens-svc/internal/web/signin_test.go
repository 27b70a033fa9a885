package web

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestSignInRedirectsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	b := w.browser()
	wantTo(t, b.get(t, api("?show=all")), "/sign-in?"+url.Values{"next": {api("?show=all")}}.Encode())
	want(t, b.get(t, "/sign-in?next="+url.QueryEscape(api("?show=all"))), http.StatusOK,
		`<title>Sign in · Quayside</title>`, `name="next" value="`+api("?show=all")+`"`, "!ended")
	res := b.post(t, "/sign-in", url.Values{
		"email":    {" Anna@ACME.example "},
		"password": {secret}, "next": {api("?show=all")},
	})
	wantTo(t, res, api("?show=all"))
	want(t, b.get(t, api("")), http.StatusOK, "anna@acme.example", "Acme Citrus")
	wantTo(t, b.get(t, "/sign-in"), home)
	want(t, b.get(t, "/settings"), http.StatusOK, `href="`+shipmentsOfAcme+`"`)
}

// TestCookiesAreOpaqueAndBoundToTheHost: __Host- makes browsers refuse it for any other host, path or plain http.
func TestCookiesAreOpaqueAndBoundToTheHost(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	res := w.browser().post(t, "/sign-in", url.Values{"email": {"anna@acme.example"}, "password": {secret}})
	if got := res.Header().Values("Set-Cookie"); len(got) != 2 ||
		!regexp.MustCompile(`^__Host-quayside=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; Secure; SameSite=Lax$`).
			MatchString(got[1]) ||
		!regexp.MustCompile(`^__Host-quayside-device=[A-Za-z0-9_-]{64}; Path=/; Max-Age=15552000; `+
			`HttpOnly; Secure; SameSite=Strict$`).MatchString(got[0]) {
		t.Errorf("%q", got)
	}
	plain := start(t, func(c *Config) { c.PublicURL = &url.URL{Scheme: "http", Host: "localhost:8080"} })
	plain.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	res = plain.browser().post(t, "/sign-in", url.Values{"email": {"anna@acme.example"}, "password": {secret}})
	if got := res.Header().Values("Set-Cookie"); len(got) != 2 || !strings.HasPrefix(got[1], "quayside=") ||
		!strings.HasPrefix(got[0], "quayside-device=") || strings.Contains(got[0]+got[1], "Secure") {
		t.Errorf("on a laptop: %q", got)
	}
	if got := res.Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("on a laptop: HSTS %q", got)
	}
}

func TestWrongPasswordAndUnknownAccountGetTheSameResponse(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	var pages []string
	for _, email := range []string{"anna@acme.example", "bert@acme.example"} {
		res := w.browser().post(t, "/sign-in", url.Values{"email": {email}, "password": {"wrong horse"}})
		want(t, res, http.StatusUnprocessableEntity, "Incorrect e-mail address or password.",
			`value="`+email+`"`, "!wrong horse",
			`id="summary"`, `autofocus`, `aria-invalid="true"`)
		if got := res.Header().Values("Set-Cookie"); got != nil {
			t.Errorf("%s: %q", email, got)
		}
		pages = append(pages, strings.ReplaceAll(res.Body.String(), email, ""))
	}
	if pages[0] != pages[1] {
		t.Errorf("%s\ndiffers from\n%s", pages[0], pages[1])
	}
	want(t, w.browser().post(t, "/sign-in", url.Values{}), http.StatusUnprocessableEntity,
		"There are 2 problems", "Enter an e-mail address.", "Enter a password.")
}

// TestAnAccountIsThrottledFromOneAddress, whether it exists or not, and also for the right password.
func TestAnAccountIsThrottledFromOneAddress(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	for _, email := range []string{"anna@acme.example", "bert@acme.example"} {
		for range people.AttemptsPerDevice {
			want(t, w.browser().post(t, "/sign-in", url.Values{"email": {email}, "password": {"wrong"}}),
				http.StatusUnprocessableEntity)
		}
		res := w.browser().post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
		want(t, res, http.StatusTooManyRequests, "Too many attempts. You can try again in 15 minutes",
			`value="`+email+`"`, "!"+secret)
		wait, err := strconv.Atoi(res.Header().Get("Retry-After"))
		if err != nil || wait < 800 || wait > 901 {
			t.Errorf("Retry-After: %d, %v", wait, err)
		}
	}
	w.pass(people.AttemptWindow)
	w.signedIn(t, "anna@acme.example")
}

// TestWrongPasswordsOfOthersDoNotLockAnAccount: eleven from one address leave the account's holder alone at another,
// and however many from however many addresses leave those devices alone that the holder has used before.
func TestWrongPasswordsOfOthersDoNotLockAnAccount(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	w.enroll(t, "bert@acme.example", acme, tokens.RoleOwner)
	good := url.Values{"email": {"anna@acme.example"}, "password": {secret}}
	wrong := url.Values{"email": {"anna@acme.example"}, "password": {"wrong"}}
	known := w.signedIn(t, "anna@acme.example")
	attacker := w.signedIn(t, "bert@acme.example") // whose own device is not known for anna
	attacker.address = "198.51.100.1"
	for i := range people.AttemptsPerDevice + 1 {
		status := http.StatusUnprocessableEntity
		if i == people.AttemptsPerDevice {
			status = http.StatusTooManyRequests
		}
		want(t, attacker.post(t, "/sign-in", wrong), status)
	}
	wantTo(t, w.browser().post(t, "/sign-in", good), home)

	for i := people.AttemptsPerDevice + 1; i < people.AttemptsPerAccount; i++ { // the one before took back its own
		attacker.address = "198.51.100." + strconv.Itoa(2+i/people.AttemptsPerDevice)
		want(t, attacker.post(t, "/sign-in", wrong), http.StatusUnprocessableEntity)
	}
	attacker.address = "203.0.113.1"
	want(t, attacker.post(t, "/sign-in", wrong), http.StatusUnprocessableEntity)
	want(t, attacker.post(t, "/sign-in", wrong), http.StatusTooManyRequests)
	want(t, w.browser().post(t, "/sign-in", good), http.StatusTooManyRequests)
	wantTo(t, known.post(t, "/settings/sign-out", nil), "/sign-in?out=1")
	wantTo(t, known.post(t, "/sign-in", good), home)
}

// TestInvitationsAreCountedApart: wrong codes do not keep anybody from signing
// in, and a right code gives no further guesses at a password.
func TestInvitationsAreCountedApart(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.enroll(t, "anna@acme.example", other, tokens.RoleOwner)
	for range people.AttemptsPerDevice + 1 {
		w.browser().post(t, "/sign-in/invitation", acceptance("anna@acme.example", "AAAA"))
	}
	w.signedIn(t, "anna@acme.example")

	w.pass(people.AttemptWindow)
	code := w.signedIn(t, owner.email).invite(t, "anna@acme.example", "member")
	for range people.AttemptsPerDevice {
		form := acceptance("anna@acme.example", code)
		form.Set("password", "wrong horse battery")
		want(t, w.browser().post(t, "/sign-in/invitation", form), http.StatusUnprocessableEntity,
			"An account with this e-mail address")
	}
	form := url.Values{"email": {"anna@acme.example"}, "password": {secret}}
	want(t, w.browser().post(t, "/sign-in", form), http.StatusTooManyRequests)
	want(t, w.browser().post(t, "/sign-in/invitation", acceptance("anna@acme.example", code)),
		http.StatusTooManyRequests)
}

// TestSuccessfulSignInIsNotCounted, so an office behind one address goes on.
func TestSuccessfulSignInIsNotCounted(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	for range people.AttemptsPerAddress + 1 {
		w.signedIn(t, "anna@acme.example")
	}
}

// TestSessionFixationIsPrevented: the text of the cookie changes at sign-in, and the one before is good for nothing.
func TestSessionFixationIsPrevented(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	w.enroll(t, "bert@acme.example", acme, tokens.RoleMember)
	mallory := w.signedIn(t, "bert@acme.example")
	victim := w.browser()
	victim.cookie = mallory.cookie
	wantTo(t, victim.post(t, "/sign-in", url.Values{"email": {"anna@acme.example"}, "password": {secret}}), home)
	if victim.cookie == mallory.cookie {
		t.Error("the cookie is the same")
	}
	wantTo(t, mallory.get(t, "/settings"), "/sign-in?ended=1&next=%2Fsettings")

	victim = w.browser()
	victim.cookie = "bWFsbG9yeSBjaG9zZSB0aGlzIHRleHQgZm9yIHlvdSAu"
	wantTo(t, victim.post(t, "/sign-in", url.Values{"email": {"anna@acme.example"}, "password": {secret}}), home)
	if victim.cookie == "bWFsbG9yeSBjaG9zZSB0aGlzIHRleHQgZm9yIHlvdSAu" {
		t.Error("a text of somebody's choice became a session")
	}
}

func TestNextRedirectsWithinTheSiteOnly(t *testing.T) {
	t.Parallel()
	longest := "/settings/" + strings.Repeat("a", 502)
	for _, text := range []string{
		"/settings", api("?show=all&page=2"),
		"/settings/x?next=https%3A%2F%2Fevil.example", longest,
	} {
		if got := safeNext(text); got != text {
			t.Errorf("%q leads to %q", text, got)
		}
	}
	for _, text := range []string{
		"", "https://evil.example/settings", "//evil.example/settings", "///evil.example/settings",
		`/\evil.example/settings`,
		`\\evil.example`, "/settings/../../evil", "/settings/%2e%2e/sign-in", "/sign-in", "javascript:alert(1)",
		"/settings\r\nSet-Cookie: x=y", "/settings\t", "https:/settings", "https:settings",
		"/settings#//evil.example", longest + "a", " /settings/x", `/settings/\..\..\evil`,
	} {
		if got := safeNext(text); got != home && got != "/settings" {
			t.Errorf("%q leads to %q", text, got)
		}
	}
	if got := safeNext(`https://anna@evil.example/shipments/x?z`); got != "/shipments/x?z" {
		t.Errorf("another site's page leads to %q", got)
	}
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	res := w.browser().post(t, "/sign-in", url.Values{
		"email": {"anna@acme.example"}, "password": {secret}, "next": {"//evil.example/settings"},
	})
	wantTo(t, res, "/settings")
}

func TestSessionExpires(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.pass(session.Idle - time.Minute)
	want(t, owner.get(t, api("")), http.StatusOK)
	w.pass(session.Idle + time.Minute)
	res := owner.post(t, api(""), url.Values{"name": {"ERP"}})
	wantTo(t, res, "/sign-in?"+url.Values{"ended": {"1"}, "next": {"/settings"}}.Encode())
	want(t, owner.get(t, res.Header().Get("Location")), http.StatusOK, "Your session has ended",
		"Your last request was not carried out")
}

func TestASessionInUseEndsAfterItsLifetime(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for passed := time.Duration(0); passed < session.Lifetime; passed += 20 * time.Minute {
		want(t, owner.get(t, api("")), http.StatusOK)
		w.pass(20 * time.Minute)
	}
	w.pass(time.Millisecond) // Postgres rounds to microseconds
	wantTo(t, owner.get(t, api("")), "/sign-in?"+url.Values{"ended": {"1"}, "next": {api("")}}.Encode())
}

// TestACookieIsStoredAsItsHash, and only once there is something to keep.
func TestACookieIsStoredAsItsHash(t *testing.T) {
	t.Parallel()
	w := start(t)
	visitor := w.browser()
	visitor.get(t, "/sign-in")
	if visitor.cookie != "" {
		t.Errorf("a visitor gets the cookie %s", visitor.cookie)
	}
	owner := w.member(t, tokens.RoleOwner)
	sum := sha256.Sum256([]byte(owner.cookie))
	if got := w.query(t, `SELECT token_sum FROM sessions`); got != base64.RawURLEncoding.EncodeToString(sum[:]) {
		t.Errorf("%s is stored as %s", owner.cookie, got)
	}
}

func TestSigningOutEndsTheSession(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	copied := &browser{world: w, cookie: owner.cookie}
	res := owner.post(t, "/settings/sign-out", nil)
	wantTo(t, res, "/sign-in?out=1")
	if owner.cookie != "" {
		t.Errorf("the cookie is still %q", owner.cookie)
	}
	want(t, owner.get(t, "/sign-in?out=1"), http.StatusOK, "You have signed out.")
	wantTo(t, copied.get(t, api("")), "/sign-in?"+url.Values{"ended": {"1"}, "next": {api("")}}.Encode())
}

func TestPasswordsCanBeDisabled(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Passwords = false })
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	b := w.browser()
	want(t, b.get(t, "/sign-in"), http.StatusOK, `!type="password"`, "!invitation")
	wantTo(t, b.get(t, "/sign-in/invitation"), "/sign-in")
	want(t, b.post(t, "/sign-in", url.Values{"email": {"anna@acme.example"}, "password": {secret}}),
		http.StatusNotFound)
	want(t, b.post(t, "/sign-in/invitation", url.Values{}), http.StatusNotFound)
	want(t, b.get(t, "/sign-in/oidc"), http.StatusNotFound)
	want(t, b.get(t, "/sign-in/callback"), http.StatusNotFound)
}

// TestSignInsAreInTheAccountsLog, refused ones and the end of sessions, too. What
// was typed is not. An attempt on an unknown account has no event and is logged.
func TestSignInsAreInTheAccountsLog(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	const typed = "my secret by mistake"
	stranger := w.browser()
	for _, email := range []string{"anna@acme.example", "nobody@acme.example", typed + "@acme.example"} {
		want(t, stranger.post(t, "/sign-in", url.Values{"email": {email}, "password": {typed}}),
			http.StatusUnprocessableEntity)
	}
	w.people.Wait()
	b := w.signedIn(t, "anna@acme.example")
	want(t, b.get(t, "/settings/account"), http.StatusOK, "Sign in failed", "wrong password", "Signed in", "192.0.2.7")
	wantTo(t, b.post(t, "/settings/sign-out", nil), "/sign-in?out=1")
	const events = `SELECT count(*) FROM audit_events WHERE actor_name = 'anna@acme.example' AND target = actor_id AND `
	for condition, n := range map[string]int{
		`action = 'user.sign_in_failed' AND details->>'reason' = 'wrong password' AND host(address) = '192.0.2.7'`: 1,
		`action = 'user.signed_in' AND details->>'method' = 'password' AND host(address) = '192.0.2.7'`:            1,
	} {
		if got := w.count(t, events+condition); got != n {
			t.Errorf("%s: %d events, want %d", condition, got, n)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM audit_events WHERE action LIKE 'user.sign%'`); n != 2 {
		t.Errorf("%d events about sign-ins, want 2", n)
	}
	if n := w.count(t,
		`SELECT count(*) FROM audit_events e WHERE e::text LIKE '%secret by mistake%' OR e::text LIKE '%nobody@%'`); n != 0 {
		t.Errorf("%d events have what was typed", n)
	}
	unknown := regexp.MustCompile(`"msg":"sign-in refused: unknown account",` +
		`"address":"192\.0\.2\.7","request_id":"req_[0-9a-z]{26}"`)
	if got := len(unknown.FindAllString(w.log.String(), -1)); got != 2 {
		t.Errorf("%d lines about unknown accounts, want 2, in\n%s", got, w.log)
	}
	for _, text := range []string{typed, "nobody@"} {
		if strings.Contains(w.log.String(), text) {
			t.Errorf("%q was typed and logged", text)
		}
	}
}
