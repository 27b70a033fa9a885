package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// concrete is a route's path with everything in it filled in.
func concrete(pattern string) (method, path string) {
	method, path, _ = strings.Cut(pattern, " ")
	return method, strings.NewReplacer(
		"{org}", string(acme), "{token}", "tok_000000000000", "{user}", "usr_00000000000000000000000000",
		"{invitation}", "inv_00000000000000000000000000",
	).Replace(path)
}

// TestCrossOriginRequestsAreRejected drives every route that takes a POST:
// one that is added to the table is tested by itself.
func TestCrossOriginRequestsAreRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	before := countRows(t, w)
	for name, c := range map[string]struct {
		header  http.Header
		refused bool
	}{
		"cross-site": {http.Header{"Sec-Fetch-Site": {"cross-site"}}, true},
		"cross-site, forged origin": {
			http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
			true,
		},
		"same-site, another host": {http.Header{
			"Sec-Fetch-Site": {"same-site"},
			"Origin":         {"https://evil.quayside.example"},
		}, true},
		"old browser, foreign origin":     {http.Header{"Origin": {"https://evil.example"}}, true},
		"old browser, opaque origin":      {http.Header{"Origin": {"null"}}, true},
		"old browser, another port":       {http.Header{"Origin": {origin + ":8443"}}, true},
		"old browser, unreadable origin":  {http.Header{"Origin": {"://"}}, true},
		"our own page":                    {http.Header{"Sec-Fetch-Site": {"same-origin"}}, false},
		"typed or bookmarked":             {http.Header{"Sec-Fetch-Site": {"none"}}, false},
		"old browser, our own page":       {http.Header{"Origin": {origin}}, false},
		"no browser: neither header sent": {http.Header{}, false},
	} {
		for _, rt := range table {
			method, path := concrete(rt.pattern)
			if method != http.MethodPost {
				continue
			}
			visitors := map[string]*browser{"nobody": w.browser()}
			if c.refused {
				visitors["the owner"] = owner
			}
			for principal, b := range visitors {
				res := b.send(t, method, path, url.Values{"role": {"admin"}, "email": {"x@y.example"}}, c.header)
				if refused := res.Code == http.StatusForbidden; refused != c.refused {
					t.Errorf("%s, %s, %s: %d", name, rt.pattern, principal, res.Code)
				}
				if c.refused && !strings.Contains(res.Body.String(), "Request from another site") {
					t.Errorf("%s, %s: the page does not say why", name, rt.pattern)
				}
			}
		}
	}
	if after := countRows(t, w); after != before {
		t.Errorf("%+v became %+v", before, after)
	}
}

// counts is how much of everything there is.
type counts struct{ tokens, members, invitations, sessions, events int }

func countRows(t *testing.T, w *world) counts {
	t.Helper()
	return counts{
		w.count(t, `SELECT count(*) FROM api_tokens`), w.count(t, `SELECT count(*) FROM memberships`),
		w.count(t, `SELECT count(*) FROM invitations`),
		w.count(t, `SELECT count(*) FROM sessions WHERE user_id IS NOT NULL`),
		w.count(t, `SELECT count(*) FROM audit_events`),
	}
}

// TestReadingChangesNothing: GET has no effect, from any origin.
func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	before := countRows(t, w)
	for _, rt := range table {
		if method, path := concrete(rt.pattern); method == http.MethodGet {
			owner.send(t, method, path, nil, http.Header{"Sec-Fetch-Site": {"cross-site"}})
		}
	}
	if after := countRows(t, w); after != before {
		t.Errorf("%+v became %+v", before, after)
	}
}

// TestEveryAnswerIsHardened, for every route and visitor.
func TestEveryAnswerIsHardened(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	paths := []string{"/settings/nothing/here/at/all", "//settings", "/settings/../settings", set.Address("style.css")}
	for _, rt := range table {
		_, path := concrete(rt.pattern)
		paths = append(paths, path)
	}
	for _, path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			for principal, b := range map[string]*browser{
				"nobody":    w.browser(),
				"the owner": {world: w, cookie: owner.cookie, address: "192.0.2.7"},
			} {
				h := b.send(t, method, path, url.Values{}, http.Header{"Sec-Fetch-Site": {"same-origin"}}).Header()
				for name, want := range map[string]string{
					"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; " +
						"connect-src 'self'; " +
						"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
					"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
					"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
					"Strict-Transport-Security": "max-age=63072000",
					"Permissions-Policy": "clipboard-write=(self), camera=(), geolocation=(), microphone=(), payment=(), " +
						"usb=()",
				} {
					if got := h.Get(name); got != want {
						t.Errorf("%s %s, %s: %s is %q", method, path, principal, name, got)
					}
				}
				immutable := method == http.MethodGet && strings.HasPrefix(path, staticPath)
				if rules := h.Values("Cache-Control"); !immutable && (len(rules) != 1 || rules[0] != "no-store") {
					t.Errorf("%s %s, %s: may be stored: %q", method, path, principal, h["Cache-Control"])
				}
			}
			if method == http.MethodPost && path == "/settings/sign-out" {
				owner = w.signedIn(t, "owner@acme.example")
			}
		}
	}
}
