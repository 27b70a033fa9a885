package assertion

import (
	"bytes"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

func pageGolden(t *testing.T) (ed25519.PrivateKey, time.Time, http.Header) {
	t.Helper()
	return golden(t, "page_assertion.json", map[string]string{HeaderClient: "client", HeaderAssertion: "assertion"})
}

func pageVerifier(t *testing.T, now time.Time, keys ...ed25519.PrivateKey) *Verifier {
	t.Helper()
	parsed, err := ParseKeys(publicPEM(t, keys...))
	if err != nil {
		t.Fatal(err)
	}
	v := NewVerifier("tokens-svc", DefaultIssuer, parsed, at(now))
	t.Cleanup(v.Close)
	return v
}

// page returns the status that a request for a page gets: 200 behind the guard.
func page(v *Verifier, h http.Header) int {
	r := httptest.NewRequest(http.MethodPost, "/sign-in", http.NoBody)
	r.Header = h.Clone()
	res := httptest.NewRecorder()
	v.GuardPages(slog.New(slog.DiscardHandler), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })).
		ServeHTTP(res, r)
	return res.Code
}

func TestPagesAreServedWithTheGatewaysAssertionOnly(t *testing.T) {
	t.Parallel()
	key, now, good := pageGolden(t)
	foreign := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	_, _, ofToken := tokenGolden(t)
	if status := page(pageVerifier(t, now, key), good); status != http.StatusOK {
		t.Fatalf("the contract's assertion: %d", status)
	}
	if status := page(pageVerifier(t, now), http.Header{}); status != http.StatusOK {
		t.Errorf("in development, without keys: %d", status)
	}
	type pageClaims struct {
		jwt.Claims
		Client string `json:"client,omitempty"`
	}
	made := func(change func(*pageClaims)) string {
		c := pageClaims{jwt.Claims{
			Issuer: DefaultIssuer, Audience: jwt.Audience{"tokens-svc"},
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(lifetime)),
		}, good.Get(HeaderClient)}
		change(&c)
		return sign(t, key, kid(t, key), c)
	}
	if status := page(pageVerifier(t, now, key), http.Header{
		HeaderClient: good[HeaderClient], HeaderAssertion: {made(func(*pageClaims) {})},
	}); status != http.StatusOK {
		t.Fatalf("an assertion made here: %d", status)
	}
	for name, change := range map[string]func(http.Header){
		"nothing":             func(h http.Header) { h.Del(HeaderClient); h.Del(HeaderAssertion) },
		"an address only":     func(h http.Header) { h.Del(HeaderAssertion) },
		"an assertion only":   func(h http.Header) { h.Del(HeaderClient) },
		"another address":     func(h http.Header) { h.Set(HeaderClient, "192.0.2.8") },
		"two addresses":       func(h http.Header) { h.Add(HeaderClient, "192.0.2.8") },
		"two assertions":      func(h http.Header) { h.Add(HeaderAssertion, h.Get(HeaderAssertion)) },
		"a token's assertion": func(h http.Header) { h.Set(HeaderAssertion, ofToken.Get(HeaderAssertion)) },
		"an expired assertion": func(h http.Header) {
			h.Set(HeaderAssertion, made(func(c *pageClaims) { c.Expiry = jwt.NewNumericDate(now.Add(-time.Minute)) }))
		},
		"another service's": func(h http.Header) {
			h.Set(HeaderAssertion, made(func(c *pageClaims) { c.Audience = jwt.Audience{"shipments-svc"} }))
		},
		"one with a token": func(h http.Header) {
			h.Set(HeaderAssertion, made(func(c *pageClaims) { c.Subject = "tok_4fZyo82mVyR1" }))
		},
		"no address in either": func(h http.Header) {
			h.Set(HeaderClient, "")
			h.Set(HeaderAssertion, made(func(c *pageClaims) { c.Client = "" }))
		},
		"another key's": func(h http.Header) {
			h.Set(HeaderAssertion, sign(t, foreign, kid(t, key), pageClaims{Client: h.Get(HeaderClient)}))
		},
	} {
		h := good.Clone()
		change(h)
		if status := page(pageVerifier(t, now, key), h); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
	}
}

// TestAPagesAssertionIdentifiesNoToken: it is refused on API routes, whatever
// identity headers come with it.
func TestAPagesAssertionIdentifiesNoToken(t *testing.T) {
	t.Parallel()
	key, now, h := pageGolden(t)
	v := pageVerifier(t, now, key)
	for _, name := range []string{HeaderOrganization, HeaderToken, HeaderPermissions} {
		h.Set(name, "")
	}
	if err := v.check(h); err == nil {
		t.Error("a page's assertion passed for empty identity headers")
	}
}
