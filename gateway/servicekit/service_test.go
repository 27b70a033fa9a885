package servicekit_test

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const organization = "org_01k9x3v7t2e8sbq4m6n0pacdfg"

// sign returns the assertion of a gateway with this key, and its public key.
func sign(t *testing.T, key ed25519.PrivateKey) (assertion, publicKey string) {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key},
		new(jose.SignerOptions).WithHeader("kid", base64.RawURLEncoding.EncodeToString(sum)))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	assertion, err = jwt.Signed(signer).Claims(map[string]any{
		"iss": "quayside-gateway", "aud": []string{"hello-svc"}, "iat": now.Unix(), "exp": now.Add(20 * time.Second).Unix(),
		"org": organization, "sub": "tok_1", "scope": "hello:read",
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return assertion, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// TestTheExampleIsAService: it refuses requests without the gateway's assertion,
// serves health and metrics internally, and drains.
func TestTheExampleIsAService(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	log, stderr := io.Pipe()
	assertion, publicKey := sign(t, ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, publicKey, "127.0.0.1:0", "127.0.0.1:0", stderr) }()
	addresses := map[string]string{}
	lines := json.NewDecoder(log)
	for len(addresses) < 2 {
		var line struct{ Msg, Server, Address string }
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Msg == "listening" {
			addresses[line.Server] = "http://" + line.Address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, io.MultiReader(lines.Buffered(), log)) }()

	for _, c := range []struct {
		server, path string
		status       int
		body         string
	}{
		{"public", "/api/v1/hello", http.StatusOK, "hello " + organization},
		{"public", "/api/v1/hello", http.StatusUnauthorized, `"code":"missing_identity"`},
		{"public", "/api/v1/farewell", http.StatusForbidden, "This needs farewell:write; the token has hello:read."},
		{"public", "/lost", http.StatusNotFound, `"code":"not_found"`},
		{"public", "/readyz", http.StatusOK, ""},
		{"public", "/metrics", http.StatusNotFound, `"code":"not_found"`},
		{"inner", "/livez", http.StatusOK, "ok"},
		{
			"inner", "/metrics", http.StatusOK,
			`quayside_hello_request_seconds_count{code="401",method="GET",route="/api/v1/hello"} 1`,
		},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addresses[c.server]+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"X-Organization-Id": {organization}, "X-Token-Id": {"tok_1"},
			"X-Token-Permissions": {"hello:read"},
		}
		if c.status == http.StatusOK || c.status == http.StatusForbidden {
			req.Header.Set("X-Gateway-Assertion", assertion)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != c.status || !strings.Contains(string(body), c.body) {
			t.Errorf("%s %s: %d %.200s", c.server, c.path, res.StatusCode, body)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the drain ended with %v", err)
	}
}
