package browser

import (
	"net/http"
	"strings"
	"testing"
)

func TestAfterSigningOutBackShowsNoPage(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	b := enter(t, o)
	b.click("#account-menu summary")
	b.follow("#sign-out")
	b.sees("You have signed out.")
	if b.reload(); strings.Contains(b.body(), "You have signed out.") {
		t.Error("a reload repeats the notice")
	}
	b.back()
	b.awaits(`location.pathname === "/sign-in"`)
	if strings.Contains(b.body(), o.name) {
		t.Errorf("Back shows the organization again:\n%s", b.body())
	}
	if status := b.visit(o.path("/api")); status != http.StatusOK || !strings.HasPrefix(b.path(), "/sign-in") {
		t.Errorf("after signing out: got %s", b.path())
	}
}
