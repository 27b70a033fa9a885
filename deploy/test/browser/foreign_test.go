package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
)

// Each form is sent by a page at another port of the same host. Its requests carry
// the cookie, because SameSite ignores ports.
func TestFormsOfAnotherOriginAreRefused(t *testing.T) {
	t.Parallel()
	o := found(t, "Cape Fresh Exports")
	member := o.join(t, "member")
	b := enter(t, o)
	token := b.generate()
	b.follow("#done")
	tokenPath := o.path("/api/tok_" + token[10:22])

	b.visit(o.path("/api/new"))
	nonce := eval[string](b, `document.querySelector("[name=form]").value`)
	forms := map[string]string{
		o.path("/api"):                  "name=Foreign&preset=full&expiry=none&environment=live&form=" + nonce,
		tokenPath + "/rotate":           "overlap=0",
		tokenPath + "/revoke":           "reason=foreign",
		o.path("/invitations"):          "email=foreign@quayside.example&role=owner",
		"/settings/sessions/end-others": "",
		"/settings/sign-out":            "",
	}
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Prize</title><form method="post" action="%s"><button>Win</button></form>
			<script>for (const [name, value] of new URLSearchParams(%q)) {
				const field = document.createElement("input"); field.name = name; field.value = value;
				document.forms[0].append(field);
			}</script>`, r.URL.Query().Get("to"), r.URL.Query().Get("fields"))
	}))
	defer foreign.Close()
	for path, fields := range forms {
		b.do(chromedp.Navigate(foreign.URL + "/?to=" + url.QueryEscape(stack.URL+path) + "&fields=" +
			url.QueryEscape(fields)))
		if status := b.follow("button"); status != http.StatusForbidden {
			t.Errorf("POST %s from another origin: got %d", path, status)
		}
		b.sees("Request from another site")
	}
	b.accessible()
	if status, _ := get(t, b, "/api/v1/token", token); status != http.StatusOK {
		t.Errorf("the token afterwards: got %d", status)
	}
	b.visit(o.path("/api?show=all"))
	b.onlyToken()
	b.visit(o.path("/members"))
	b.sees(member.email)
	b.sees("No open invitations. An invitation is valid for 7 days")
}
