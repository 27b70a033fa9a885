package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const newSecret = "another horse battery"

func change(current, password string) url.Values {
	return url.Values{"current": {current}, "password": {password}}
}

func TestChangingThePasswordEndsAllOtherSessions(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	elsewhere := w.signedIn(t, "owner@acme.example")
	before := owner.cookie
	want(t, owner.get(t, "/settings/account"), http.StatusOK, `href="/settings/password"`)
	want(t, owner.get(t, "/settings/password"), http.StatusOK, `autocomplete="current-password"`,
		`autocomplete="new-password"`)
	wantTo(t, owner.post(t, "/settings/password", change(secret, newSecret)), "/settings/account")
	want(t, owner.get(t, "/settings/account"), http.StatusOK, "Your password was changed.",
		"this session", "!End the session of")
	copied := &browser{world: w, cookie: before}
	for name, b := range map[string]*browser{"the other session": elsewhere, "the earlier cookie": copied} {
		if res := b.get(t, "/settings/account"); res.Code != http.StatusSeeOther {
			t.Errorf("%s: %d", name, res.Code)
		}
	}
	form := url.Values{"email": {"owner@acme.example"}, "password": {secret}}
	want(t, w.browser().post(t, "/sign-in", form), http.StatusUnprocessableEntity)
	form.Set("password", newSecret)
	wantTo(t, w.browser().post(t, "/sign-in", form), home)
	if n := w.count(t, `SELECT count(*) FROM audit_events WHERE action = 'user.password_changed'`); n != 1 {
		t.Errorf("%d events", n)
	}
}

// TestAResetUnlocksTheBrowserInWhichItWasMade, while others try passwords.
func TestAResetUnlocksTheBrowserInWhichItWasMade(t *testing.T) {
	t.Parallel()
	w, arrived := mailing(t)
	w.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	b := w.browser()
	form := url.Values{"email": {"anna@acme.example"}, "password": {"wrong"}}
	for range people.AttemptsPerDevice {
		b.post(t, "/sign-in", form)
	}
	want(t, b.post(t, "/sign-in", form), http.StatusTooManyRequests)
	want(t, b.post(t, "/sign-in/forgot", form), http.StatusOK)
	form["password"], form["code"] = []string{newSecret}, []string{mailed(t, w, arrived, "anna@acme.example")}
	wantTo(t, b.post(t, "/sign-in/reset", form), "/sign-in?reset=1")
	wantTo(t, b.post(t, "/sign-in", form), home)
}

func TestAPersonRenamesThemselves(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	path := accountPath + "/name"
	want(t, owner.post(t, path, url.Values{"name": {"Anna \u202e"}}), http.StatusUnprocessableEntity, `href="#name"`)
	wantTo(t, owner.post(t, path, url.Values{"name": {"Anna Nel"}}), accountPath)
	want(t, owner.get(t, accountPath), http.StatusOK, `value="Anna Nel"`, "Your name was changed.")
	if n := w.count(t, `SELECT count(*) FROM audit_events WHERE details->>'name' = 'Anna Nel'`); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestChangingAPasswordNeedsTheCurrentOne(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for _, c := range []struct {
		form url.Values
		says string
	}{
		{change("", ""), "Enter your current password."},
		{change("wrong horse battery", newSecret), "Incorrect current password."},
		{change(secret, "short"), "must have at least 12 characters"},
		{change(secret, secret), "must not be the current one"},
		{change(secret, "owner@acme.example"), "must not be the e-mail address"},
	} {
		want(t, owner.post(t, "/settings/password", c.form), http.StatusUnprocessableEntity, c.says, `id="summary"`,
			`aria-invalid="true"`, "!"+newSecret)
	}
	for range people.AttemptsPerDevice {
		owner.post(t, "/settings/password", change("wrong horse battery", newSecret))
	}
	want(t, owner.post(t, "/settings/password", change(secret, newSecret)),
		http.StatusTooManyRequests, "Too many attempts")
	w.signedIn(t, "owner@acme.example") // guesses in a stolen session do not lock out the sign-in
	wantTo(t, w.browser().post(t, "/settings/password", change(secret, newSecret)), "/sign-in?next=%2Fsettings")
	without := start(t, withIssuer)
	without.enroll(t, "anna@acme.example", acme, tokens.RoleOwner)
	b := without.browser()
	b.atIssuer(t, claimsOf("1", "anna@acme.example"))
	want(t, b.get(t, "/settings/password"), http.StatusNotFound)
	want(t, b.get(t, "/settings/account"), http.StatusOK, "!/settings/password")
}

// TestSessionOfAnEarlierEpochIsInvalid, also one that was stored a moment after the change had removed all sessions.
func TestSessionOfAnEarlierEpochIsInvalid(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	w.exec(t, `UPDATE users SET session_epoch = session_epoch + 1`)
	if res := owner.get(t, api("")); res.Code != http.StatusSeeOther {
		t.Errorf("%d", res.Code)
	}
}
