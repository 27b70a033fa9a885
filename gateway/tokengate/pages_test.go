package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

func TestEveryRequestButAGETOfTheSignInPageCountsAsASignIn(t *testing.T) {
	t.Parallel()

	g := &Gate{SignIn: "/sign-in"}
	for _, tt := range []struct {
		method, target string
		want           bool
	}{
		{"GET", "/sign-in", false},
		{"HEAD", "/sign-in?next=/settings", false},
		{"POST", "/sign-in", true},
		{"PUT", "/sign-in", true},
		{"GET", "/sign-in/oidc/callback?code=x", true},
		{"GET", "/sign-in/invitation", true},
		{"POST", "/sign-in/oidc", true},
		{"POST", "/%73ign-in", true},
		{"POST", "/settings", false},
		{"GET", "/settings/sign-in", false},
		{"POST", "/settings/sign-out", false},
		{"POST", "/sign-inn", false},
	} {
		if (&Gate{}).windowOfPage(httptest.NewRequest(tt.method, tt.target, nil)) != pageWindow {
			t.Errorf("%s %s is a sign-in where there is none", tt.method, tt.target)
		}
		if got := g.windowOfPage(httptest.NewRequest(tt.method, tt.target, nil)) == signInWindow; got != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.method, tt.target, got, tt.want)
		}
	}
}

func TestPrefersHTMLIsTrueForBrowsersOnly(t *testing.T) {
	t.Parallel()

	for accept, want := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"application/json, Text/HTML ;q=0.5":                              false,
		"application/problem+json, text/html":                             false,
		"text/html;q=1.0":                                                 true,
		"text/html;charset=utf-8":                                         true,
		"*/*":                                                             false,
		"text/*":                                                          false,
		"application/json":                                                false,
		"":                                                                false,
	} {
		r := request(http.MethodGet, "/settings")
		r.Header["Accept"] = []string{"image/png", accept}
		if got := prefersHTML(r); got != want {
			t.Errorf("Accept: %s: %v", accept, got)
		}
		if r.URL.Path = "/api/v1/shipments"; prefersHTML(r) {
			t.Errorf("Accept: %s: an API answers with a page", accept)
		}
	}
	if prefersHTML(request(http.MethodGet, "/settings")) {
		t.Error("without Accept")
	}
}

func TestProblemsOfPagesAreSafeToShow(t *testing.T) {
	t.Parallel()

	p := problem.Problem{Status: 429, Title: "<b>", Detail: `"&`, Code: "rate_limited", RetryAfter: 1}
	w := httptest.NewRecorder()
	x, r := newTestGate(t, new(Gate), "").receive(w, httptest.NewRequest(http.MethodGet, "/settings", nil))
	x.html, x.id = true, "req_01k9x3v7t2e8sbq4m6n0pacdfh"
	x.answer(r, p, nil)
	if w.Code != 429 || w.Header().Get("Vary") != "Accept" || field(w, "Retry-After") != "1" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	body := w.Body.String()
	for _, want := range []string{
		"&lt;b&gt;", "&#34;&amp;", "in 1 s.", "req_01k9x3v7t2e8sbq4m6n0pacdfh", `<html lang="en">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if strings.Contains(body, "<b>") {
		t.Errorf("not escaped:\n%s", body)
	}
}
