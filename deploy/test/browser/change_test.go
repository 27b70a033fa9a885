package browser

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// From signing in to signing out, JavaScript is disabled.
func TestEverythingWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	b.withoutScript()
	b.visit(o.path("/api"))
	b.signIn(o.owner)
	b.follow("#generate")
	if status := b.follow("#submit"); status != http.StatusUnprocessableEntity {
		t.Errorf("without a name: %d", status)
	}
	b.sees("Enter a name.")
	b.awaits(`document.activeElement.id === "summary"`)
	b.fill("#name", "ERP")
	b.click("label:has(#preset-custom)")
	b.click(`label:has([id="permission-shipments:read"])`)
	b.follow("#submit")
	old := b.shownToken()
	for _, hidden := range []string{`[data-copy="token"]`, `[role="tablist"]`} {
		if eval[bool](b, `!!document.querySelector('`+hidden+`')?.checkVisibility()`) {
			t.Errorf("%s is shown but needs JavaScript", hidden)
		}
	}
	if status := get(t, b, "/api/v1/shipments", old); status != http.StatusOK {
		t.Errorf("the token: %d", status)
	}
	if status := b.reload(); status != http.StatusConflict {
		t.Errorf("reloading: %d", status)
	}
	b.visit(o.path("/api"))
	b.onlyToken()

	b.follow(`a[aria-label="Rotate ERP"]`)
	b.click("label:has(#overlap-0)")
	b.follow("#submit")
	successor := b.shownToken()
	b.sees("is no longer valid")
	refused(t, b, old)
	b.follow("#done")
	b.follow(`a[aria-label="Revoke ERP"]`)
	b.sees("Revoke ERP?")
	b.awaits(`document.activeElement.id === "cancel"`)
	b.follow("#revoke")
	refused(t, b, successor)

	b.follow(`nav.tabs a[href$="/members"]`)
	b.fill("#email", "new."+o.owner.email)
	b.follow("#invite")
	b.sees("The invitation is on its way")
	b.click("#account-menu summary")
	b.follow("#sign-out")
	b.sees("You have signed out.")
}

// From signing in to revoking, no mouse event is sent.
func TestEverythingWorksWithTheKeyboard(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := open(t)
	b.visit(o.path("/api"))
	b.tabTo("#email")
	b.keys(o.owner.email)
	b.tabTo("#password")
	b.load(chromedp.KeyEvent(o.owner.password + kb.Enter))

	b.tabTo("a.skip")
	b.keys(kb.Enter)
	b.tabTo("#generate")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.tabTo("#name")
	b.keys("ERP")
	b.tabTo("[name=preset]")
	b.keys(kb.ArrowDown)
	b.tabTo("[name=expiry]:checked")
	b.keys(kb.ArrowUp)
	b.tabTo("#advanced summary")
	b.keys(" ")
	b.tabTo("#ip_allow")
	b.keys("127.0.0.0/8")
	b.tabTo("#submit")
	b.load(chromedp.KeyEvent(kb.Enter))
	token := b.shownToken()
	b.sees("Read & write")
	if status := get(t, b, "/api/v1/shipments", token); status != http.StatusOK {
		t.Errorf("the token: %d", status)
	}
	b.mayUseClipboard(true)
	b.tabTo("#tab-token-button")
	b.keys(kb.ArrowRight)
	b.awaits(`document.activeElement.id === "tab-env-button"`)
	b.tabTo(`[data-copy="env"]`)
	b.keys(kb.Enter)
	b.awaits(`document.querySelector("#copied").textContent.includes("Copied.")`)
	b.tabTo("#done")
	b.load(chromedp.KeyEvent(kb.Enter))

	b.tabTo(`a[aria-label="Revoke ERP"]`)
	b.keys(kb.Enter)
	b.awaits(`document.querySelector("dialog[open]") && document.activeElement.textContent.trim() === "Cancel"`)
	b.keys(kb.Enter)
	b.awaits(`!document.querySelector("dialog")`)
	b.keys(kb.Enter)
	b.awaits(`document.querySelector("dialog[open]") && document.activeElement.textContent.trim() === "Cancel"`)
	b.tabTo("dialog #revoke")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.sees("was revoked.")
}

// keys sends key events.
func (b *tab) keys(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// tabTo presses Tab until an element has the focus, which must be visible.
func (b *tab) tabTo(selector string) {
	b.Helper()
	for range 60 {
		if eval[bool](b, "document.activeElement.matches(`"+selector+"`)") {
			if !eval[bool](b, `(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 ||
				s.boxShadow !== "none")(getComputedStyle(document.activeElement))`) {
				b.Errorf("at %s: that %s has the focus cannot be seen", b.path(), selector)
			}
			return
		}
		b.keys(kb.Tab)
	}
	b.Fatalf("at %s: Tab never focuses %s", b.path(), selector)
}
