package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	c := i.client()
	flow, address, err := c.Start(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"response_type": "code", "client_id": clientID, "redirect_uri": redirectURL, "scope": "openid email profile",
		"code_challenge_method": "S256", "state": flow.State, "nonce": flow.Nonce,
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if strings.Contains(address, flow.Verifier) || len(flow.Verifier) < 43 ||
		len(u.Query().Get("code_challenge")) != 43 {
		t.Errorf("no PKCE in %s", address)
	}
	claims, err := c.Finish(t.Context(), flow, i.signIn(t, address))
	want := people.Claims{
		Identity: people.Identity{Issuer: i.URL, Subject: "42"}, Email: "anna@acme.example",
		EmailVerified: true, Name: "Anna", All: claims.All,
	}
	if err != nil || !reflect.DeepEqual(claims, want) || claims.All["sub"] != "42" {
		t.Errorf("%+v, %v; want %+v", claims, err, want)
	}
}

// TestAPersonIsAskedAgainAndTheIssuerSaysWhen: whatever session there is.
func TestAPersonIsAskedAgainAndTheIssuerSaysWhen(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	c := i.client()
	for sent, want := range map[any]time.Time{
		1795183200: time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), "1795183200": {}, -1: {},
	} {
		flow, address, err := c.Start(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := url.Parse(address); err != nil || u.Query().Get("prompt") != "login" ||
			u.Query().Get("max_age") != "0" {
			t.Errorf("%s, %v", address, err)
		}
		i.claims["auth_time"] = sent
		if claims, err := c.Finish(t.Context(), flow, i.signIn(t, address)); err != nil || !claims.AuthTime.Equal(want) {
			t.Errorf("%v: %s, %v", sent, claims.AuthTime, err)
		}
	}
}

// TestAnAddressIsVerifiedByTheClaimThatWasAgreed, in the forms in which issuers write it, and by nothing else.
func TestAnAddressIsVerifiedByTheClaimThatWasAgreed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		claim  string
		claims map[string]any
		want   bool
	}{
		"true":             {"email_verified", map[string]any{"email_verified": true}, true},
		"the string true":  {"email_verified", map[string]any{"email_verified": "true"}, true},
		"false":            {"email_verified", map[string]any{"email_verified": false}, false},
		"the string false": {"email_verified", map[string]any{"email_verified": "false"}, false},
		"another string":   {"email_verified", map[string]any{"email_verified": "yes"}, false},
		"the number 1":     {"email_verified", map[string]any{"email_verified": 1}, false},
		"the string 1":     {"email_verified", map[string]any{"email_verified": "1"}, false},
		"this client is the party": {
			"email_verified",
			map[string]any{"azp": clientID, "aud": []string{clientID, "other"}},
			true,
		},
		"the longest subject": {"email_verified", map[string]any{"sub": strings.Repeat("x", 255)}, true},
		"a list":              {"email_verified", map[string]any{"email_verified": []any{true}}, false},
		"null":                {"email_verified", map[string]any{"email_verified": nil}, false},
		"Entra ID, nothing agreed": {
			"email_verified",
			map[string]any{"email_verified": nil, "xms_edov": true},
			false,
		},
		"Entra ID":                       {"xms_edov", map[string]any{"email_verified": nil, "xms_edov": true}, true},
		"Entra ID, as a number":          {"xms_edov", map[string]any{"email_verified": nil, "xms_edov": 1}, true},
		"Entra ID, as a string":          {"xms_edov", map[string]any{"email_verified": nil, "xms_edov": "1"}, true},
		"Entra ID, domain not verified":  {"xms_edov", map[string]any{"email_verified": nil, "xms_edov": false}, false},
		"Entra ID, a number that is not": {"xms_edov", map[string]any{"email_verified": nil, "xms_edov": 0}, false},
		"Entra ID, claim left out":       {"xms_edov", map[string]any{"email_verified": true}, false},
		"another claim than the agreed":  {"xms_edov", map[string]any{"email_verified": "true"}, false},
		"no domain and no claim":         {"", map[string]any{"email_verified": nil}, false},
	} {
		i := newIssuer(t)
		maps.Copy(i.claims, c.claims)
		client := i.clientWith(c.claim)
		flow, address, err := client.Start(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		claims, err := client.Finish(t.Context(), flow, i.signIn(t, address))
		if err != nil || claims.EmailVerified != c.want || claims.Email != "anna@acme.example" {
			t.Errorf("%s: %+v, %v", name, claims, err)
		}
	}
}

func TestNoTwoFlowsAreAlike(t *testing.T) {
	t.Parallel()
	c := newIssuer(t).client()
	one, _, errOne := c.Start(t.Context(), false)
	two, _, errTwo := c.Start(t.Context(), false)
	if errOne != nil || errTwo != nil || one.State == two.State || one.Nonce == two.Nonce ||
		one.Verifier == two.Verifier {
		t.Errorf("%v, %v", errOne, errTwo)
	}
}

func TestAnAnswerCountsForItsOwnFlowOnly(t *testing.T) {
	t.Parallel()
	wrongKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		issuer func(*issuer)
		flow   func(*oidc.Flow)
		query  func(url.Values)
		want   error
	}{
		"no flow was begun": {
			flow:  func(f *oidc.Flow) { *f = oidc.Flow{} },
			query: func(q url.Values) { q.Set("state", "") }, want: oidc.ErrMismatch,
		},
		"wrong state":           {query: func(q url.Values) { q.Set("state", "x") }, want: oidc.ErrMismatch},
		"no state":              {query: func(q url.Values) { q.Del("state") }, want: oidc.ErrMismatch},
		"wrong nonce":           {flow: func(f *oidc.Flow) { f.Nonce = "x" }, want: oidc.ErrMismatch},
		"no nonce in the token": {issuer: func(i *issuer) { i.claims["nonce"] = "" }, want: oidc.ErrMismatch},
		"wrong PKCE verifier": {
			flow: func(f *oidc.Flow) { f.Verifier = strings.Repeat("x", 43) },
			want: oidc.ErrDenied,
		},
		"no PKCE verifier": {flow: func(f *oidc.Flow) { f.Verifier = "" }, want: oidc.ErrMismatch},
		"an invented code": {query: func(q url.Values) { q.Set("code", "x") }, want: oidc.ErrDenied},
		"another issuer's (iss)": {
			query: func(q url.Values) { q.Set("iss", "https://evil.example") },
			want:  oidc.ErrMismatch,
		},
		"another issuer's token": {
			issuer: func(i *issuer) { i.claims["iss"] = "https://evil.example" },
			want:   oidc.ErrMismatch,
		},
		"for another client": {issuer: func(i *issuer) { i.claims["aud"] = "evil" }, want: oidc.ErrMismatch},
		"an old token": {
			issuer: func(i *issuer) { i.claims["exp"] = time.Now().Add(-time.Hour).Unix() },
			want:   oidc.ErrMismatch,
		},
		"another's signature": {issuer: func(i *issuer) { i.key = wrongKey }, want: oidc.ErrMismatch},
		"no ID token":         {issuer: func(i *issuer) { i.withhold = true }, want: oidc.ErrUnavailable},
		"the person denied access": {
			query: func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
			want:  oidc.ErrDenied,
		},
		"claims of another kind": {issuer: func(i *issuer) { i.claims["email"] = 7 }, want: oidc.ErrClaims},
		"a list of names": {
			issuer: func(i *issuer) { i.claims["name"] = []string{"a", "b"} },
			want:   oidc.ErrClaims,
		},
		"no subject":          {issuer: func(i *issuer) { delete(i.claims, "sub") }, want: oidc.ErrClaims},
		"an empty subject":    {issuer: func(i *issuer) { i.claims["sub"] = "" }, want: oidc.ErrClaims},
		"a number as subject": {issuer: func(i *issuer) { i.claims["sub"] = 42 }, want: oidc.ErrMismatch},
		"a subject too long": {
			issuer: func(i *issuer) { i.claims["sub"] = strings.Repeat("x", 256) },
			want:   oidc.ErrClaims,
		},
		"another party's":  {issuer: func(i *issuer) { i.claims["azp"] = "other" }, want: oidc.ErrClaims},
		"an empty party's": {issuer: func(i *issuer) { i.claims["azp"] = "" }, want: oidc.ErrClaims},
		"two audiences, another party": {issuer: func(i *issuer) {
			i.claims["aud"] = []string{
				clientID,
				"other",
			}
			i.claims["azp"] = "other"
		}, want: oidc.ErrClaims},
		"two audiences, no party": {
			issuer: func(i *issuer) { i.claims["aud"] = []string{clientID, "other"} },
			want:   oidc.ErrClaims,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			client := i.client()
			flow, address, err := client.Start(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			query := i.signIn(t, address)
			if c.issuer != nil {
				c.issuer(i)
			}
			if c.flow != nil {
				c.flow(&flow)
			}
			if c.query != nil {
				c.query(query)
			}
			claims, err := client.Finish(t.Context(), flow, query)
			if !errors.Is(err, c.want) || claims.Subject != "" {
				t.Errorf("%+v, %v; want %v", claims, err, c.want)
			}
			if code := query.Get("code"); code != "" && code != "x" && strings.Contains(err.Error(), code) {
				t.Errorf("the code is in %v", err)
			}
		})
	}
}

// TestAnIssuerMayComeLater: one that is away is asked again by the next.
func TestAnIssuerMayComeLater(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	c := i.client()
	i.down = true
	if _, _, err := c.Start(t.Context(), false); !errors.Is(err, oidc.ErrUnavailable) {
		t.Errorf("%v, want %v", err, oidc.ErrUnavailable)
	}
	i.mu.Lock()
	i.down = false
	i.mu.Unlock()
	flow, address, err := c.Start(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	query := i.signIn(t, address)
	i.mu.Lock()
	i.down = true
	i.mu.Unlock()
	if _, err := c.Finish(t.Context(), flow, query); err == nil {
		t.Error("no error without the issuer")
	}
}

// TestIssuerMismatchIsRejected (mix-up).
func TestIssuerMismatchIsRejected(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"issuer":"https://evil.example","authorization_endpoint":"https://evil.example/auth"}`))
	}))
	defer server.Close()
	c := oidc.New(oidc.Config{Issuer: server.URL, ClientID: clientID, RedirectURL: redirectURL})
	if _, _, err := c.Start(t.Context(), false); !errors.Is(err, oidc.ErrUnavailable) {
		t.Errorf("%v, want %v", err, oidc.ErrUnavailable)
	}
}
