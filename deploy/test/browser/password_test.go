package browser

import (
	"net/http"
	"strings"
	"testing"
)

func TestAPasswordIsChanged(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b, other := enter(t, o), enter(t, o)
	b.visit(o.shipments(""))
	b.click("#account-menu summary") // as on every page
	b.follow("#to-account")
	b.accessible()
	b.follow("#to-password")
	b.accessible()
	b.fill("#current", "not the password")
	b.fill("#password", "citrus at the quayside")
	if status := b.follow("#change-password"); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong current password: %d", status)
	}
	b.sees("Incorrect current password.")
	b.awaits(`document.activeElement.id === "summary"`)
	b.accessible()
	b.fill("#current", o.owner.password)
	b.fill("#password", "citrus at the quayside")
	b.follow("#change-password")
	b.sees("Your password was changed. You were signed out of all other sessions.")
	b.accessible()
	other.visit(o.path("/api"))
	if !strings.HasPrefix(other.path(), "/sign-in") {
		t.Errorf("the other session: got %s", other.path())
	}
	o.owner.password = "citrus at the quayside"
	other.signIn(o.owner)
}
