package browser

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"
)

func TestSigningInRedirectsToTheRequestedPage(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	b.visit(o.path("/members"))
	if !strings.HasPrefix(b.path(), "/sign-in?next=") {
		t.Fatalf("without a session: got %s", b.path())
	}
	b.fill("#email", o.owner.email)
	b.fill("#password", "not the password")
	if status := b.follow("#sign-in"); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong password: got %d", status)
	}
	b.sees("Incorrect e-mail address or password.")
	b.awaits(`document.activeElement.id === "summary"`)
	if email, password := eval[string](b, `document.querySelector("#email").value`), eval[string](b,
		`document.querySelector("#password").value`); email != o.owner.email || password != "" {
		t.Errorf("the form was sent back with e-mail %q and password %q", email, password)
	}
	b.signIn(o.owner)
	if b.path() != o.path("/members") {
		t.Errorf("after signing in: got the page %s", b.path())
	}
	for _, cookie := range cookies(b) {
		if !cookie.HTTPOnly || cookie.SameSite == "" || cookie.Path != "/" ||
			cookie.Expires > 0 && cookie.Name != "quayside-device" {
			t.Errorf("cookie %+v", cookie)
		}
	}
}

func TestAfterSigningOutBackShowsNoPage(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.click("#account-menu summary")
	b.follow("#sign-out")
	b.sees("You have signed out.")
	b.back()
	b.awaits(`location.pathname === "/sign-in"`)
	if strings.Contains(b.body(), o.name) {
		t.Errorf("Back shows the organization again:\n%s", b.body())
	}
	if status := b.visit(o.path("/api")); status != http.StatusOK || !strings.HasPrefix(b.path(), "/sign-in") {
		t.Errorf("after signing out: got %s", b.path())
	}
}

func TestAnExpiredSessionAsksToSignInAgain(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	endSessions(t, o.owner)
	b.follow(`nav.tabs a[href$="/members"]`)
	b.sees("Your session has ended")
	b.accessible()
	b.signIn(o.owner)
	if b.path() != o.path("/members") {
		t.Errorf("after signing in again: got the page %s", b.path())
	}
}

// endSessions makes a user's sessions older than the maximum.
func endSessions(t *testing.T, p person) {
	t.Helper()
	db, err := sql.Open("postgres", stack.DSN("tokens"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	result, err := db.ExecContext(t.Context(), `UPDATE sessions SET expires_at = now() - interval '1 second'
		WHERE user_id = (SELECT id FROM users WHERE email = $1)`, p.email)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil {
		t.Fatalf("%d sessions (%v)", n, err)
	}
}

func TestASessionCanEndTheOthers(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	office, lost := enter(t, o), enter(t, o)
	office.visit("/settings/account")
	if n := eval[int](office, `document.querySelectorAll("#sessions li").length`); n != 2 {
		t.Fatalf("%d sessions are listed, want 2", n)
	}
	for _, address := range []string{office.address, lost.address} {
		office.sees(address)
	}
	office.accessible()
	office.follow("#end-others")
	office.sees("You were signed out of all other sessions.")
	lost.visit(o.path("/api"))
	lost.sees("Your session has ended")
	if status := office.visit(o.path("/api")); status != http.StatusOK || office.path() != o.path("/api") {
		t.Errorf("the session that ended the others: got %s", office.path())
	}
}
