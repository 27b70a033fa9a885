package web

import (
	"errors"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const (
	victim    = "victim@other.example"
	attackers = "the attacker's choice"
)

// hijack lets the owner of acme invite the victim's address and redeem the
// invitation with a password of their own. It returns the attacker's browser.
func (w *world) hijack(t *testing.T) *browser {
	t.Helper()
	code := w.member(t, tokens.RoleOwner).invite(t, victim, "member")
	attacker := w.browser()
	form := acceptance(victim, code)
	form.Set("password", attackers)
	wantTo(t, attacker.post(t, "/sign-in/invitation", form), shipmentsOfAcme)
	return attacker
}

// ownsNothing fails if the attacker gets into other, by the session or by the password.
func (w *world) ownsNothing(t *testing.T, attacker *browser) {
	t.Helper()
	path := "/settings/" + string(other) + "/api"
	if res := attacker.get(t, path); res.Code != http.StatusNotFound && res.Code != http.StatusSeeOther {
		t.Errorf("by the session: %d", res.Code)
	}
	again := w.browser()
	again.post(t, "/sign-in", url.Values{"email": {victim}, "password": {attackers}})
	if res := again.get(t, path); res.Code != http.StatusNotFound && res.Code != http.StatusSeeOther {
		t.Errorf("by the password: %d", res.Code)
	}
}

func operatorAdds(w *world, t *testing.T) (people.User, bool, error) {
	t.Helper()
	return w.people.Enroll(t.Context(), people.Enrolment{
		Organization: other, Email: "Victim@Other.example", Role: "owner", Password: secret,
	})
}

// TestAnInvitedAccountJoinsNoFurtherOrganization (pre-hijacking), added
// by an operator, another organization's invitation, or both.
func TestAnInvitedAccountJoinsNoFurtherOrganization(t *testing.T) {
	t.Parallel()
	w := start(t)
	attacker := w.hijack(t)
	if _, _, err := operatorAdds(w, t); !errors.Is(err, people.ErrAccountUnverified) {
		t.Errorf("the operator's command: %v", err)
	}
	w.ownsNothing(t, attacker)

	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	boss := w.signedIn(t, "boss@other.example")
	code := boss.inviteTo(t, other, victim, "owner")
	form := acceptance(victim, code)
	form.Set("password", attackers)
	want(t, w.browser().post(t, "/sign-in/invitation", form), http.StatusConflict, "isn't verified")
	form.Set("password", secret) // the real person does not know the attacker's
	want(t, w.browser().post(t, "/sign-in/invitation", form), http.StatusUnprocessableEntity,
		"ask your Quayside administrator")
	w.ownsNothing(t, attacker)
}

// TestVerifyingEndsPasswordAndSessions: password, session and known device.
func TestVerifyingEndsPasswordAndSessions(t *testing.T) {
	t.Parallel()
	w := start(t)
	attacker := w.hijack(t)
	account, err := w.people.Find(t.Context(), victim)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.people.SetPassword(t.Context(), account.User, secret); err != nil {
		t.Fatal(err)
	}
	if u, made, err := operatorAdds(w, t); err != nil || made {
		t.Fatalf("%+v, %v", u, err)
	}
	wantTo(t, attacker.get(t, api("")), "/sign-in?"+url.Values{"ended": {"1"}, "next": {api("")}}.Encode())
	w.ownsNothing(t, attacker)

	real := w.browser()
	wantTo(t, real.post(t, "/sign-in", url.Values{"email": {victim}, "password": {secret}}), home)
	wantTo(t, real.get(t, "/settings/"+string(other)+"/api"), "/settings/password")
	want(t, real.get(t, "/settings/password"), http.StatusOK, "An administrator set your password")
	wantTo(t, real.post(t, "/settings/password", url.Values{"current": {secret}, "password": {"my very own password"}}),
		"/settings/account")
	want(t, real.get(t, "/settings"), http.StatusOK, `Other &amp; Sons</strong><span class="hint">Owner`)
}

// TestConcurrentRedemptionsDoNotAdmitAnAttacker: whichever comes first, the
// attacker's password opens nothing of the other organization.
func TestConcurrentRedemptionsDoNotAdmitAnAttacker(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	boss, admin := w.signedIn(t, "boss@other.example"), w.member(t, tokens.RoleOwner)
	for range 5 {
		codes := map[string]string{
			attackers: admin.invite(t, victim, "member"),
			secret:    boss.inviteTo(t, other, victim, "owner"),
		}
		var all sync.WaitGroup
		for password, code := range codes {
			all.Go(func() {
				form := acceptance(victim, code)
				form.Set("password", password)
				w.browser().post(t, "/sign-in/invitation", form)
			})
		}
		all.Wait()
		attacker := w.browser()
		attacker.post(t, "/sign-in", url.Values{"email": {victim}, "password": {attackers}})
		w.ownsNothing(t, attacker)
		if n := w.count(t, `SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id
			WHERE u.email = '`+victim+
			`'`); n != 1 {
			t.Errorf("%d memberships", n)
		}
		w.exec(t, `DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND u.email = '`+victim+`'`)
		w.exec(t, `DELETE FROM sessions s USING users u WHERE u.id = s.user_id AND u.email = '`+victim+`'`)
		w.exec(t, `DELETE FROM sign_in_attempts`)
		w.exec(t, `DELETE FROM invitations`)
		w.exec(t, `DELETE FROM users WHERE email = '`+victim+`'`)
	}
}

// TestVerifiedIdentityTakesOverAnUnverifiedAccount: the attacker's password
// and session end, and the membership stays, since the address was invited.
func TestVerifiedIdentityTakesOverAnUnverifiedAccount(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *Config) { c.Issuer = &stub{} })
	attacker := w.hijack(t)
	w.enroll(t, "boss@other.example", other, tokens.RoleOwner)
	w.signedIn(t, "boss@other.example").inviteTo(t, other, victim, "owner")
	real := w.browser()
	real.enters(t, claimsOf("1", victim))
	want(t, real.get(t, "/settings/account"), http.StatusOK, "An account with your e-mail address already existed")
	want(t, real.get(t, "/settings/account"), http.StatusOK, "!There was an account")
	want(t, real.get(t, "/settings/"+string(other)+"/api"), http.StatusNotFound)
	wantTo(t, real.post(t, "/settings/join", real.offered(t)), home+"/"+string(other))
	want(t, real.get(t, "/settings"), http.StatusOK, `Other &amp; Sons</strong><span class="hint">Owner`)
	want(t, real.get(t, "/settings"), http.StatusOK, `Acme Citrus</strong><span class="hint">Member`)
	wantTo(t, attacker.get(t, api("")), "/sign-in?"+url.Values{"ended": {"1"}, "next": {api("")}}.Encode())
	w.ownsNothing(t, attacker)
	if n := w.count(t, `SELECT count(*) FROM audit_events WHERE action = 'user.identity_linked' AND log_id = '`+
		string(acme)+`'`); n != 1 {
		t.Errorf("%d events of the link", n)
	}
}
