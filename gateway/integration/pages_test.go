package integration

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// echoing is a tokens-svc that sets cookies and keeps the last request.
func echoing() (*recorder, http.Handler) {
	last := new(recorder)
	return last, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Set-Cookie", "session=new")
		w.Header().Add("Set-Cookie", "form=new")
		last.ServeHTTP(w, r)
	})
}

// A session is for pages only: no route of the API takes it for a token.
func TestASessionIsNoCredentialOfTheAPI(t *testing.T) {
	t.Parallel()

	last, upstream := echoing()
	g := start(t, options{upstream: upstream})
	for _, operation := range []string{
		"GET /api/v1/token", "DELETE /api/v1/token", "POST /api/v1/token/rotate", "GET /api/v1/tokens",
		"POST /api/v1/tokens", "GET /api/v1/tokens/tok_000000000001", "PATCH /api/v1/tokens/tok_000000000001",
		"POST /api/v1/tokens/tok_000000000001/rotate", "POST /api/v1/tokens/tok_000000000001/revoke",
		"GET /api/v1/audit-events", "GET /api/v1/shipments", "POST /api/v1/shipments",
	} {
		a := g.send(t, operation+" HTTP/1.1", "Cookie: __Host-quayside=session", "Sec-Fetch-Site: same-origin",
			"Accept: text/html", "Content-Length: 0")
		if a.status != http.StatusUnauthorized || a.countHeader("WWW-Authenticate") != 1 {
			t.Errorf("%s: %q", operation, a.lines)
		}
	}
	if r := last.last(); r != nil {
		t.Errorf("a service received %s %s", r.Method, r.URL)
	}
}

// pages are paths of every kind of page.
var pages = []string{
	"/sign-in", "/sign-in/oidc/callback", "/settings", "/settings/org_01/api",
	"/settings/static/0a1b/app.css",
}

func TestCookiesAreForwardedOnPagesOnly(t *testing.T) {
	t.Parallel()

	last, upstream := echoing()
	g := start(t, options{upstream: upstream, env: map[string]string{"TRUSTED_PROXIES": ""}})
	token, _ := g.tokens.create("")
	others := []string{
		"/api/v1/shipments", "/api/v1/token", "/api/v1/token/rotate", "/api/v1/tokens", "/api/v1/tokens/tok_000000000001",
		"/api/v1/audit-events", "/api/v1/openapi.json", "/api/v1/openapi/tokens.json",
	}
	for _, path := range append(pages, others...) {
		_ = last.take()
		a := g.send(t, "GET "+path+" HTTP/1.1", "Host: quayside.example", "Origin: http://quayside.example",
			"Authorization: Bearer "+token,
			"Cookie: session=old", "Cookie: form=old", "X-Client-Address: 192.0.2.66", "x_client_address: "+
				"192.0.2.66", "X-Organization-ID: "+testOrganization)
		got := last.last()
		if a.status != http.StatusOK || got == nil {
			t.Errorf("%s: %s", path, a.lines[0])
			continue
		}
		page := slices.Contains(pages, path)
		want, wantSet := 0, 0
		if page {
			want, wantSet = 2, 2
		}
		if cookies := got.Header["Cookie"]; len(cookies) != want {
			t.Errorf("%s: the service received the cookies %q", path, cookies)
		}
		if n := a.countHeader("Set-Cookie"); n != wantSet {
			t.Errorf("%s: the client received %d cookies", path, n)
		}
		if page && got.Header["X-Organization-Id"] != nil || got.Header["Authorization"] != nil {
			t.Errorf("%s: the service received %v", path, got.Header)
		}
		for name, values := range got.Header {
			if strings.EqualFold(name, "x_client_address") || name == "X-Client-Address" &&
				(len(values) != 1 || values[0] != g.client) {
				t.Errorf("%s: %s: %q", path, name, values)
			}
		}
		if got.Host != "quayside.example" || got.Header.Get("Origin") != "http://quayside.example" {
			t.Errorf("%s: Host %s, Origin %s", path, got.Host, got.Header.Get("Origin"))
		}
	}
}

func TestServicesReceiveTheClientAddress(t *testing.T) {
	t.Parallel()

	upstream := new(recorder)
	g := start(t, options{upstream: upstream})
	token, _ := g.tokens.create("")
	for _, path := range []string{"/settings", "/api/v1/shipments", "/api/v1/openapi.json"} {
		for forwarded, want := range map[string]string{
			"198.51.100.7":                "198.51.100.7",
			"::ffff:198.51.100.7":         "198.51.100.7",
			"2001:DB8::1":                 "2001:db8::1",
			"198.51.100.7, 2001:db8::2":   "2001:db8::2",
			"198.51.100.7, 127.0.0.1":     "198.51.100.7",
			"not-an-addr, 198.51.100.8":   "198.51.100.8",
			"198.51.100.7, 198.51.100.9,": "198.51.100.9",
		} {
			g.get(t, path, forwarded, token)
			if got := upstream.last().Header.Values("X-Client-Address"); len(got) != 1 || got[0] != want {
				t.Errorf("%s from %s: X-Client-Address %q, want %q", path, forwarded, got, want)
			}
		}
	}
}

// Cookies, passwords, codes and the secrets of invitations are not logged.
func TestSecretsOfSigningInAreNotLogged(t *testing.T) {
	t.Parallel()

	const secret = "correct-horse-battery-staple"
	upstream := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session="+secret)
		w.Header().Set("Location", "/settings?state="+secret)
		w.WriteHeader(http.StatusSeeOther)
	})
	for name, env := range map[string]map[string]string{
		"working": {"LOG_LEVEL": "debug"}, "failing": {"LOG_LEVEL": "debug", "TOKENS_PORT": freePort(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, options{upstream: upstream, env: env})
			for _, head := range []string{
				"POST /sign-in", "GET /sign-in/oidc/callback?code=" + secret,
				"GET /sign-in/invitation/" + secret, "GET /Sign-In/x/" + secret, "GET /invitation/" + secret,
			} {
				g.send(t, head+" HTTP/1.1", "Cookie: session="+secret, "Referer: http://api/sign-in?code="+secret,
					"Content-Type: application/x-www-form-urlencoded", "Content-Length: "+strconv.Itoa(len("password="+secret)),
					"", "password="+secret)
			}
			if log := g.logOf(t, 5); strings.Contains(log, secret[:12]) {
				t.Errorf("the log has the secret:\n%s", log)
			}
		})
	}
}
