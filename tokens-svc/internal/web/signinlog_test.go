package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
