package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const refusals = `SELECT count(*) FROM audit_events WHERE action = 'user.sign_in_failed' AND details->>'method' = '`

// TestAttemptsAboveTheLimitAreOneEvent in each window, however many there are.
func TestAttemptsAboveTheLimitAreOneEvent(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	stranger := w.browser()
	for window := 1; window <= 2; window++ {
		for i := range people.AttemptsPerDevice + 5 {
			status := http.StatusUnprocessableEntity
			if i >= people.AttemptsPerDevice {
				status = http.StatusTooManyRequests
			}
			want(t, stranger.post(t, "/sign-in", url.Values{"email": {"owner@acme.example"}, "password": {"wrong horse battery"}}), status)
		}
		w.people.Wait()
		if n := w.count(t, refusals+`password' AND details->>'reason' = 'wrong password'`); n != window*people.AttemptsPerDevice {
			t.Errorf("window %d: %d events of wrong passwords", window, n)
		}
		if n := w.count(t, refusals+`password' AND details->>'reason' = 'too many attempts' AND host(address) = '192.0.2.7'`); n != window {
			t.Errorf("window %d: %d events of attempts above the limit", window, n)
		}
		w.pass(people.AttemptWindow)
	}
	for range people.AttemptsPerDevice + 5 {
		owner.post(t, "/settings/password", change("wrong horse battery", newSecret))
	}
	w.people.Wait()
	for reason, n := range map[string]int{"wrong password": people.AttemptsPerDevice, "too many attempts": 1} {
		if got := w.count(t, refusals+`change of password' AND details->>'reason' = '`+reason+`'`); got != n {
			t.Errorf("changing the password, %s: %d events, want %d", reason, got, n)
		}
	}
}

// TestRefusalsAtTheIssuerAreEvents of the account that exists, one in a window.
func TestRefusalsAtTheIssuerAreEvents(t *testing.T) {
	t.Parallel()
	w := start(t, withIssuer)
	for _, email := range []string{"anna@acme.example", "bert@acme.example"} {
		w.enroll(t, email, acme, tokens.RoleOwner)
	}
	w.browser().atIssuer(t, claimsOf("1", "anna@acme.example"))
	w.exec(t, `UPDATE users SET disabled_at = now() WHERE email = 'bert@acme.example'`)
	for range 2 {
		for subject, email := range map[string]string{"2": "anna@acme.example", "3": "bert@acme.example", "4": "nobody@acme.example"} {
			if status, _, page := w.browser().atIssuer(t, claimsOf(subject, email)); status != http.StatusForbidden {
				t.Errorf("%s: %d, %s", email, status, page)
			}
		}
	}
	w.exec(t, `UPDATE users SET disabled_at = now()`)
	w.browser().atIssuer(t, claimsOf("1", "anna@acme.example"))
	w.people.Wait()
	for condition, n := range map[string]int{
		`linked to another identity' AND actor_name = 'anna@acme.example'`: 1,
		`account disabled' AND actor_name = 'bert@acme.example'`:           1,
		`account disabled' AND actor_name = 'anna@acme.example'`:           1,
	} {
		if got := w.count(t, refusals+`issuer' AND details->>'reason' = '`+condition); got != n {
			t.Errorf("%s: %d events, want %d", condition, got, n)
		}
	}
}
