package web

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// stub is an issuer of the test's: what it answers is in the "code". Flows are kept apart by their state, as the real
// client does, which has tests of its own.
type stub struct{ err error }

func (s *stub) Start(_ context.Context, again bool) (oidc.Flow, string, error) {
	if s.err != nil {
		return oidc.Flow{}, "", s.err
	}
	f := oidc.Flow{State: "state", Nonce: "nonce-that-is-secret", Verifier: "verifier-that-is-secret"}
	address := "https://issuer.example/auth?state=" + f.State
	if again {
		address += "&prompt=login"
	}
	return f, address, nil
}

func (s *stub) Finish(_ context.Context, f oidc.Flow, query url.Values) (people.Claims, error) {
	if f.State == "" || f.State != query.Get("state") {
		return people.Claims{}, fmt.Errorf("%w: its state is another", oidc.ErrMismatch)
	}
	var c people.Claims
	err := json.Unmarshal([]byte(query.Get("code")), &c)
	if c.Issuer == "" {
		c.Issuer = "https://issuer.example"
	}
	return c, err
}

// atIssuer signs in there and returns the answer to the browser's coming back.
func (b *browser) atIssuer(t *testing.T, c people.Claims) (status int, to, page string) {
	t.Helper()
	wantTo(t, b.get(t, "/sign-in/oidc?next="+url.QueryEscape("/settings/account")),
		"https://issuer.example/auth?state=state")
	return b.fromIssuer(t, c)
}

// enters is atIssuer for a sign-in that succeeds.
func (b *browser) enters(t *testing.T, c people.Claims) {
	t.Helper()
	if status, _, page := b.atIssuer(t, c); status != http.StatusSeeOther {
		t.Fatalf("%d, %s", status, page)
	}
}

// fromIssuer comes back from there, where the person signed in now unless the claims say otherwise.
func (b *browser) fromIssuer(t *testing.T, c people.Claims) (status int, to, page string) {
	t.Helper()
	if c.AuthTime.IsZero() {
		c.AuthTime = b.clock()
	}
	code, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	res := b.send(t, http.MethodGet, "/sign-in/callback?"+
		url.Values{"state": {"state"}, "code": {string(code)}}.Encode(), nil,
		http.Header{"Sec-Fetch-Site": {"cross-site"}})
	return res.Code, res.Header().Get("Location"), res.Body.String()
}

func claimsOf(subject, email string) people.Claims {
	return people.Claims{Identity: people.Identity{Subject: subject}, Email: email, EmailVerified: true, Name: "Anna"}
}

func withIssuer(c *Config) { c.Issuer, c.Passwords = &stub{}, false }

func TestInvitedPersonSignsInAtTheIssuer(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Issuer = &stub{} })
	owner := w.member(t, tokens.RoleOwner)
	owner.invite(t, "anna@acme.example", "auditor")
	b := w.browser()
	want(t, b.get(t, "/sign-in"), http.StatusOK, "Sign in with your organization", "or with a password")
	if status, to, page := b.atIssuer(t, claimsOf("1", "Anna@Acme.example")); status != http.StatusSeeOther ||
		to != "/settings/account" {
		t.Fatalf("%d, %q, %s", status, to, page)
	}
	wantTo(t, b.get(t, api("")), "/settings")
	wantTo(t, b.post(t, "/settings/join", b.offered(t)), shipmentsOfAcme)
	want(t, b.get(t, "/settings"), http.StatusOK, `Acme Citrus</strong><span class="hint">Auditor`)
	again := w.browser()
	again.enters(t, claimsOf("1", "changed@acme.example"))
	want(t, again.get(t, api("")), http.StatusOK, "anna@acme.example")
	want(t, owner.get(t, members("")), http.StatusOK, "No open invitations.")
}

func TestUninvitedPersonIsRejectedAtTheIssuer(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	w.enroll(t, "bert@acme.example", acme, tokens.RoleOwner)
	unverified := claimsOf("2", "bert@acme.example")
	unverified.EmailVerified = false
	for name, c := range map[string]struct {
		claims people.Claims
		says   string
	}{
		"not invited":             {claimsOf("1", "anna@acme.example"), "Your e-mail address hasn't been invited"},
		"the address is unproven": {unverified, "doesn't confirm that your e-mail address is verified"},
		"a domain that looks like": {
			claimsOf("3", "anna@mapped.example.evil.example"),
			"Your e-mail address hasn't been invited",
		},
	} {
		b := w.browser()
		status, _, page := b.atIssuer(t, c.claims)
		if status != http.StatusForbidden || !strings.Contains(html.UnescapeString(page), c.says) {
			t.Errorf("%s: %d, %s", name, status, page)
		}
		wantTo(t, b.get(t, api("")), "/sign-in?"+url.Values{"next": {api("")}}.Encode())
	}
}

// TestTheHolderOfAnAccountConnectsTheIssuer: after a recent proof, and the password goes on working.
func TestTheHolderOfAnAccountConnectsTheIssuer(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Issuer = &stub{} })
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	private := claimsOf("1", "anna@acme.example")
	private.Issuer = people.Google
	b := w.browser()
	if status, _, page := b.atIssuer(t, private); status != http.StatusForbidden ||
		!strings.Contains(html.UnescapeString(page), "This sign-in doesn't manage") {
		t.Errorf("%d, %s", status, page)
	}
	b = w.signedIn(t, "anna@acme.example")
	want(t, b.get(t, "/settings/account"), http.StatusOK, `id="to-issuer"`)
	w.pass(proofLife + time.Minute)
	if status, _, _ := b.atIssuer(t, private); status != http.StatusForbidden {
		t.Errorf("with an old proof: %d", status)
	}
	b = w.signedIn(t, "anna@acme.example")
	b.enters(t, private)
	w.signedIn(t, "anna@acme.example")
}

func TestUnsolicitedCallbackIsRejected(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	code, err := json.Marshal(claimsOf("1", "anna@acme.example"))
	if err != nil {
		t.Fatal(err)
	}
	answer := "/sign-in/callback?" + url.Values{"state": {"state"}, "code": {string(code)}}.Encode()
	b := w.browser()
	want(t, b.get(t, answer), http.StatusBadRequest, "expired or was started in another window")
	want(t, b.get(t, "/sign-in/callback"), http.StatusBadRequest)
	if status, _, _ := b.atIssuer(t, claimsOf("1", "anna@acme.example")); status != http.StatusSeeOther {
		t.Error(status)
	}
	want(t, b.get(t, answer), http.StatusBadRequest, "started in another window")
	if log := w.log.String(); strings.Contains(log, "that-is-secret") || strings.Contains(log, "anna@acme") {
		t.Errorf("logged: %s", log)
	}
}

func TestUnavailableIssuerIsReported(t *testing.T) {
	t.Parallel()
	for err, c := range map[error]struct {
		status int
		says   string
	}{
		oidc.ErrUnavailable: {http.StatusServiceUnavailable, "isn't available"},
		oidc.ErrDenied:      {http.StatusForbidden, "refused the request"},
	} {
		w := start(t, func(c *Config) { c.Issuer = &stub{err: fmt.Errorf("%w: because", err)} })
		want(t, w.browser().get(t, "/sign-in/oidc"), c.status, c.says, "!because", "Sign-in failed", `id="password"`)
	}
}
