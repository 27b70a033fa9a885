package assertion

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// golden is an assertion that the gateway's tests make, and its key, with the headers of members of the file.
func golden(t *testing.T, file string, members map[string]string) (ed25519.PrivateKey, time.Time, http.Header) {
	t.Helper()
	content, err := os.ReadFile("../testdata/contract/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var g map[string]any
	if err := json.Unmarshal(content, &g); err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString(g["seed"].(string))
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339, g["at"].(string))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for header, member := range members {
		h.Set(header, g[member].(string))
	}
	return ed25519.NewKeyFromSeed(seed), at, h
}

func tokenGolden(t *testing.T) (ed25519.PrivateKey, time.Time, http.Header) {
	t.Helper()
	return golden(t, "assertion.json", map[string]string{
		HeaderOrganization: "organization", HeaderToken: "token", HeaderPermissions: "permissions",
		HeaderAssertion: "assertion",
	})
}

func publicPEM(t testing.TB, keys ...ed25519.PrivateKey) string {
	t.Helper()
	var text strings.Builder
	for _, key := range keys {
		der, err := x509.MarshalPKIXPublicKey(key.Public())
		if err != nil {
			t.Fatal(err)
		}
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	return text.String()
}

func verifier(t testing.TB, now func() time.Time, keys ...ed25519.PrivateKey) *Verifier {
	t.Helper()
	parsed, err := ParseKeys(publicPEM(t, keys...))
	if err != nil {
		t.Fatal(err)
	}
	v := NewVerifier("shipments-svc", DefaultIssuer, parsed, now)
	t.Cleanup(v.Close)
	return v
}

// identify returns what is left of the identity behind the guard.
func identify(v *Verifier, h http.Header) (Identity, error) {
	var id Identity
	var err error
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Header = h.Clone()
	v.Guard(slog.New(slog.DiscardHandler), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		id, err = FromHeader(r.Header)
	})).ServeHTTP(httptest.NewRecorder(), r)
	return id, err
}

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

func TestTheContractsAssertionIsAccepted(t *testing.T) {
	t.Parallel()
	key, now, h := tokenGolden(t)
	next := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	for name, v := range map[string]*Verifier{
		"when made":                verifier(t, at(now), key),
		"by a slow clock":          verifier(t, at(now.Add(-skew)), key),
		"at its end":               verifier(t, at(now.Add(lifetime+skew-time.Second)), key),
		"while keys change over":   verifier(t, at(now), next, key),
		"behind the changing over": verifier(t, at(now), key, next),
	} {
		for range 2 { // the second time from memory
			id, err := identify(v, h)
			if err != nil || id.Organization != h.Get(HeaderOrganization) || id.Token != h.Get(HeaderToken) {
				t.Errorf("%s: %+v, %v", name, id, err)
			}
		}
	}
}

// TestAPersonsAssertionHasTheTimeOfTheirProof, which no header can change.
func TestAPersonsAssertionHasTheTimeOfTheirProof(t *testing.T) {
	t.Parallel()
	key, now, h := golden(t, "person_assertion.json", map[string]string{
		HeaderUser: "user", HeaderUserName: "name", HeaderOrganization: "organization",
		HeaderOrganizationName: "organization_name", HeaderPermissions: "permissions", HeaderAssertion: "assertion",
	})
	v := verifier(t, at(now), key)
	for proved, want := range map[string]time.Time{
		"1795183200": time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), "1795183201": {}, "": {}, "now": {},
	} {
		h.Set(HeaderUserAuthTime, proved)
		if id, err := identify(v, h); !id.AuthTime.Equal(want) || (err == nil) != !want.IsZero() {
			t.Errorf("%q: %+v, %v", proved, id, err)
		}
	}
}

// TestIdentitiesNeedAValidAssertion: without a valid assertion of exactly this
// identity, a request has none.
func TestIdentitiesNeedAValidAssertion(t *testing.T) {
	t.Parallel()
	key, now, good := tokenGolden(t)
	foreign := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	made := claimsOf(good, now)
	with := func(change func(*testClaims)) func(http.Header) {
		return func(h http.Header) {
			c := made
			change(&c)
			h.Set(HeaderAssertion, sign(t, key, kid(t, key), c))
		}
	}
	for name, change := range map[string]func(http.Header){
		"no assertion":          func(h http.Header) { h.Del(HeaderAssertion) },
		"empty":                 func(h http.Header) { h.Set(HeaderAssertion, "") },
		"twice":                 func(h http.Header) { h.Add(HeaderAssertion, h.Get(HeaderAssertion)) },
		"garbage":               func(h http.Header) { h.Set(HeaderAssertion, "a.b.c") },
		"one character changed": func(h http.Header) { h.Set(HeaderAssertion, flip(h.Get(HeaderAssertion))) },
		"without signature": func(h http.Header) {
			h.Set(HeaderAssertion, h.Get(HeaderAssertion)[:strings.LastIndexByte(h.Get(HeaderAssertion), '.')+1])
		},
		"algorithm none":           func(h http.Header) { h.Set(HeaderAssertion, unsigned(h.Get(HeaderAssertion))) },
		"signed by another":        func(h http.Header) { h.Set(HeaderAssertion, sign(t, foreign, kid(t, foreign), made)) },
		"signed by one as another": func(h http.Header) { h.Set(HeaderAssertion, sign(t, foreign, kid(t, key), made)) },
		"another organization":     func(h http.Header) { h.Set(HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfh") },
		"another token":            func(h http.Header) { h.Set(HeaderToken, "tok_000000000001") },
		"more permissions":         func(h http.Header) { h.Set(HeaderPermissions, "admin "+h.Get(HeaderPermissions)) },
		"no permissions":           func(h http.Header) { h.Set(HeaderPermissions, "") },
		"another issuer":           with(func(c *testClaims) { c.Issuer = "quayside" }),
		"for another service":      with(func(c *testClaims) { c.Audience = jwt.Audience{"tokens-svc"} }),
		"for two services":         with(func(c *testClaims) { c.Audience = jwt.Audience{"shipments-svc", "tokens-svc"} }),
		"for a year":               with(func(c *testClaims) { c.Expiry = jwt.NewNumericDate(now.AddDate(1, 0, 0)) }),
		"without an end":           with(func(c *testClaims) { c.Expiry = nil }),
		"of tomorrow":              with(func(c *testClaims) { *c = claimsOf(good, now.AddDate(0, 0, 1)) }),
		"of yesterday":             with(func(c *testClaims) { *c = claimsOf(good, now.AddDate(0, 0, -1)) }),
	} {
		h := good.Clone()
		change(h)
		id, err := identify(verifier(t, at(now), key), h)
		if !errors.Is(err, ErrMissing) || id.Organization != "" || id.Permissions != nil {
			t.Errorf("%s: %+v, %v; want no identity and ErrMissing", name, id, err)
		}
	}
}

// TestTheIssuerIsASetting: assertions of the verifier's issuer are accepted, and those of another are not.
func TestTheIssuerIsASetting(t *testing.T) {
	t.Parallel()
	key, now, h := tokenGolden(t)
	made := claimsOf(h, now)
	made.Issuer = "another-gateway"
	keys, err := ParseKeys(publicPEM(t, key))
	if err != nil {
		t.Fatal(err)
	}
	for issuer, accepted := range map[string]bool{"another-gateway": true, DefaultIssuer: false} {
		v := NewVerifier("shipments-svc", issuer, keys, at(now))
		t.Cleanup(v.Close)
		h.Set(HeaderAssertion, sign(t, key, kid(t, key), made))
		if _, err := identify(v, h); (err == nil) != accepted {
			t.Errorf("%s: %v", issuer, err)
		}
	}
}

func TestACachedAssertionExpires(t *testing.T) {
	t.Parallel()
	key, now, h := tokenGolden(t)
	later := now
	v := verifier(t, func() time.Time { return later }, key)
	if _, err := identify(v, h); err != nil {
		t.Fatal(err)
	}
	later = now.Add(lifetime + skew)
	if _, err := identify(v, h); !errors.Is(err, ErrMissing) {
		t.Errorf("it was accepted after its expiry: %v", err)
	}
}

func TestKeysAreEd25519Keys(t *testing.T) {
	t.Parallel()
	one, _, _ := tokenGolden(t)
	two := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
	demo := ed25519.NewKeyFromSeed([]byte(demoSeed))
	for _, c := range []struct{ text, reason string }{
		{text: "", reason: "is not set"},
		{text: "\n", reason: "is not set"},
		{text: publicPEM(t, one)},
		{text: "\n" + publicPEM(t, one, two) + "\n\n"},
		{text: publicPEM(t, one, demo), reason: "is public"},
	} {
		keys, err := ParseKeys(c.text)
		if err != nil || !strings.Contains(keys.DevelopmentOnly(), c.reason) ||
			(keys.DevelopmentOnly() == "") != (c.reason == "") {
			t.Errorf("%q: %q, %v", c.text, keys.DevelopmentOnly(), err)
		}
	}
	for _, text := range []string{
		publicPEM(t, one) + "and more", "MCowBQYDK2VwAyEA",
		strings.ReplaceAll(publicPEM(t, one), "PUBLIC", "PRIVATE"),
	} {
		if _, err := ParseKeys(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

type testClaims struct {
	jwt.Claims

	Organization string `json:"org"`
	Scope        string `json:"scope"`
}

func claimsOf(h http.Header, now time.Time) testClaims {
	return testClaims{
		Claims: jwt.Claims{
			Issuer: DefaultIssuer, Audience: jwt.Audience{"shipments-svc"}, Subject: h.Get(HeaderToken),
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(lifetime)),
		},
		Organization: h.Get(HeaderOrganization), Scope: h.Get(HeaderPermissions),
	}
}

func sign(tb testing.TB, key ed25519.PrivateKey, kid string, claims any) string {
	tb.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func kid(t testing.TB, key ed25519.PrivateKey) string {
	t.Helper()
	keys, err := ParseKeys(publicPEM(t, key))
	if err != nil {
		t.Fatal(err)
	}
	for kid := range keys.byID {
		return kid
	}
	return ""
}

// flip changes a character in the middle of the claims.
func flip(text string) string {
	middle := []byte(text)
	if middle[len(middle)/2]++; middle[len(middle)/2] > 'z' {
		middle[len(middle)/2] = 'a'
	}
	return string(middle)
}

func unsigned(text string) string {
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`))
	parts := strings.Split(text, ".")
	return header + "." + parts[1] + "."
}

func FuzzGuard(f *testing.F) {
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	v := verifier(f, time.Now, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize)))
	f.Fuzz(func(t *testing.T, assertion string) {
		h := http.Header{}
		h.Set(HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfg")
		h.Set(HeaderToken, "tok_4fZyo82mVyR1")
		h.Set(HeaderPermissions, "admin")
		h.Set(HeaderAssertion, assertion)
		if id, err := identify(v, h); err == nil {
			t.Errorf("%q makes %+v", assertion, id)
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	v := verifier(b, time.Now, key)
	h := http.Header{}
	h.Set(HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfg")
	h.Set(HeaderToken, "tok_4fZyo82mVyR1")
	h.Set(HeaderPermissions, "shipments:read")
	h.Set(HeaderAssertion, sign(b, key, kid(b, key), claimsOf(h, time.Now())))
	b.ReportAllocs()
	for b.Loop() {
		if err := v.check(h); err != nil {
			b.Fatal(err)
		}
	}
}
