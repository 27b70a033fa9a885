package oidc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
)

// issuer is go-oidc's test server with the two endpoints that it leaves out: one where people would sign in, and one
// that changes a code into tokens. It insists on PKCE, as issuers do that are configured to.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu       sync.Mutex
	requests map[string]url.Values // by code, what /auth was asked
	claims   map[string]any        // what the ID token says beside the usual
	down     bool
	withhold bool // sends no ID token
}

const (
	clientID, clientSecret = "quayside", "s3cret"
	redirectURL            = "https://quayside.example/sign-in/callback"
)

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{
		key: key, requests: map[string]url.Values{},
		claims: map[string]any{"sub": "42", "email": "anna@acme.example", "email_verified": true, "name": "Anna"},
	}
	known := &oidctest.Server{
		PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "k", Algorithm: gooidc.ES256}},
		Algorithms: []string{gooidc.ES256},
	}
	mux := http.NewServeMux()
	mux.Handle("/", known)
	mux.HandleFunc("POST /token", i.exchange)
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		down := i.down
		i.mu.Unlock()
		if down {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.Close)
	known.SetIssuer(i.URL)
	return i
}

func (i *issuer) client() *oidc.Client { return i.clientWith("email_verified") }

// clientWith returns a client that takes verifiedClaim for the issuer's word.
func (i *issuer) clientWith(verifiedClaim string) *oidc.Client {
	return oidc.New(oidc.Config{
		Issuer: i.URL, ClientID: clientID, ClientSecret: clientSecret, RedirectURL: redirectURL, VerifiedClaim: verifiedClaim,
	})
}

// signIn is what happens in the browser: the query with which it comes back.
func (i *issuer) signIn(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code := rand.Text()
	i.requests[code] = u.Query()
	return url.Values{"code": {code}, "state": {u.Query().Get("state")}}
}

func (i *issuer) exchange(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	asked, known := i.requests[r.FormValue("code")]
	delete(i.requests, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != clientID || secret != clientSecret || r.FormValue("redirect_uri") != redirectURL ||
		asked.Get("code_challenge_method") != "S256" ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"` + r.FormValue("code") + `"}`))
		return
	}
	claims := map[string]any{
		"iss": i.URL, "aud": clientID, "exp": time.Now().Add(time.Minute).Unix(),
		"iat": time.Now().Unix(), "nonce": asked.Get("nonce"),
	}
	maps.Copy(claims, i.claims)
	text, _ := json.Marshal(claims)
	answer := map[string]any{
		"access_token": "x", "token_type": "Bearer",
		"id_token": oidctest.SignIDToken(i.key, "k", gooidc.ES256, string(text)),
	}
	if i.withhold {
		delete(answer, "id_token")
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
