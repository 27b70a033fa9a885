package browser

import (
	"database/sql"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
)

// hasAuthenticator gives the browser a device with passkeys, which its person unlocks at once.
func (b *tab) hasAuthenticator() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		},
	}); err != nil {
		b.Fatal(err)
	}
}

// ageSessions makes a user's sessions so old that they are asked again.
func ageSessions(t *testing.T, p person) {
	t.Helper()
	db, err := sql.Open("postgres", stack.DSN("tokens"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `UPDATE sessions SET proved_at = proved_at - interval '16 minutes'
		WHERE user_id = (SELECT id FROM users WHERE email = $1)`, p.email); err != nil {
		t.Fatal(err)
	}
}

func TestAPasskeyIsAddedSignsInAndConfirms(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := openAt(t, stack.PublicURL)
	b.hasAuthenticator()
	b.visit(o.path("/api"))
	b.signIn(o.owner)
	b.visit("/settings/account")
	b.follow("#to-security")
	b.accessible()
	b.fill("#name", "Office laptop")
	b.follow("#add-passkey")
	b.sees("The passkey was added.")
	b.sees("Office laptop")
	b.accessible()
	b.fill("#name", "Again")
	b.click("#add-passkey")
	b.sees("This device has a passkey of your account already.")

	b.click("#account-menu summary")
	b.follow("#sign-out")
	b.visit(o.path("/api"))
	b.accessible()
	b.follow("#passkey")
	if b.path() != o.path("/api") {
		t.Fatalf("after signing in with the passkey: %s\n%s", b.path(), b.body())
	}
	b.follow("#generate")
	b.fill("#name", "ERP")
	ageSessions(t, o.owner)
	if status := b.follow("#submit"); status != http.StatusForbidden {
		t.Errorf("an old session: %d", status)
	}
	b.sees("Confirm that it's you")
	b.accessible()
	b.follow("#proof-passkey")
	b.shownToken()

	b.visit(securityPath)
	b.follow(`[aria-label="Remove the passkey Office laptop"]`)
	b.sees("The passkey was removed.")
}

const securityPath = "/settings/security"

func TestAnAppIsAddedAndItsCodeAskedForAlsoWithoutScript(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.visit(securityPath)
	b.follow("#add-app")
	b.accessible()
	secret := eval[string](b, `document.querySelector("#key").textContent`)
	last := ""
	code := func() string {
		t.Helper()
		for {
			text, err := totp.GenerateCode(secret, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if text != last { // each is accepted once
				last = text
				return text
			}
			time.Sleep(time.Second) // a step of 30 seconds ends
		}
	}
	b.fill("#code", code())
	b.follow("#confirm")
	b.sees("Keep your recovery codes")
	b.accessible()
	recovery := strings.Fields(eval[string](b, `document.querySelector("#codes").textContent`))
	if len(recovery) != 10 {
		t.Fatalf("%d recovery codes", len(recovery))
	}
	b.follow("#done")
	b.sees("10 recovery codes are unused")
	b.accessible()
	b.click("#account-menu summary")
	b.follow("#sign-out")

	b.withoutScript()
	b.visit(o.path("/api/new"))
	b.sees("Passkeys need JavaScript")
	b.fill("#email", o.owner.email)
	b.fill("#password", o.owner.password)
	b.follow("#sign-in")
	b.sees("Your password was right.")
	b.fill("#code", recovery[0])
	b.follow("#sign-in")
	if b.path() != o.path("/api/new") {
		t.Fatalf("after the code: %s\n%s", b.path(), b.body())
	}
	b.fill("#name", "ERP")
	ageSessions(t, o.owner)
	b.follow("#submit")
	b.sees("Confirm that it's you")
	b.fill("#proof-code", "000000")
	if status := b.follow("#prove"); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong code: %d", status)
	}
	b.fill("#proof-code", code())
	b.follow("#prove")
	b.shownToken()
}
