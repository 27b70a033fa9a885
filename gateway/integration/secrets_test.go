package integration

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test sends a token in every part of a request that can have one, in requests that succeed and in requests that
// fail in every way that is logged, and searches the logs for parts of the secret.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(misbehaving), env: map[string]string{
		"TOKENS_PORT": freePort(t),
		"LOG_LEVEL":   "debug",
	}})
	token, id := g.tokens.create("")
	sent := 0
	bearer := "Authorization: Bearer " + token
	escaped := strings.ReplaceAll(token, "_", "%5F")
	for _, lines := range [][]string{
		{
			"GET /api/v1/shipments HTTP/1.1", bearer, "Cookie: token=" + token, "X-Api-Key: " + token,
			"Referer: http://x/?" + token, "User-Agent: " + token,
		},
		{"GET /api/v1/shipments?access_token=" + token + " HTTP/1.1", bearer},
		{"GET /api/v1/shipments?access_token=" + escaped + " HTTP/1.1", bearer},
		{"GET /" + token + " HTTP/1.1", bearer},
		{"GET /" + escaped + " HTTP/1.1"},
		{"GET /%73hpt" + token[4:] + " HTTP/1.1"},
		{"GET /api/v1/token/../token?" + token + " HTTP/1.1", bearer},
		{"GET /api/v1/token?" + token + " HTTP/1.1", bearer},
		{"POST /api/v1/shipments/broken?" + token + " HTTP/1.1", bearer, "Content-Length: 0"},
		{"GET /api/v1/shipments/hung?" + token + " HTTP/1.1", bearer},
		{strings.ReplaceAll(token, "_", "-") + " /api/v1/shipments HTTP/1.1", bearer},
		{token + " /api/v1/shipments HTTP/1.1", bearer},
		{"GET http://" + token + "/api/v1/shipments HTTP/1.1", bearer},
		{"GET /api/v1/shipments HTTP/1.1", "Authorization: Basic " + token},
		{"GET /api/v1/shipments HTTP/1.1", bearer + token},
		{"GET /api/v1/shipments HTTP/1.1", bearer, "Connection: " + token, token + ": " + token},
	} {
		g.send(t, append(lines, "X-Forwarded-For: "+token)...)
		g.send(t, append(lines, "X-Forwarded-For: "+newCaller(t))...)
		sent += 2
	}
	log := g.logOf(t, sent)
	secret := token[len("shpt_live_")+13:]
	for i := 0; i+8 <= len(secret); i++ {
		if at := strings.Index(log, secret[i:i+8]); at >= 0 {
			t.Fatalf("a part of the token's secret is in the log:\n%s", log[max(at-300, 0):min(at+60, len(log))])
		}
	}
	if strings.Contains(log, testCredential) {
		t.Error("the gateway's credential is in the log")
	}

	// The log still identifies callers.
	type principal struct {
		TokenID        string `json:"token_id"`
		OrganizationID string `json:"organization_id"`
	}
	requests := map[principal]int{}
	for text := range strings.Lines(log) {
		var line struct {
			principal

			Logger    string `json:"logger"`
			RequestID string `json:"request_id"`
		}
		if json.Unmarshal([]byte(text), &line) == nil && line.Logger == "http.log.access" &&
			strings.HasPrefix(line.RequestID, "req_") {
			requests[line.principal]++
		}
	}
	if requests[principal{id, testOrganization}] < 10 {
		t.Errorf("the access log has requests by %v", requests)
	}
}

func TestSecretsAreReadFromFiles(t *testing.T) {
	t.Parallel()

	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	g := start(t, options{env: map[string]string{
		"GATEWAY_CREDENTIAL": "", "GATEWAY_CREDENTIAL_FILE": file(testCredential),
		"GATEWAY_SIGNING_KEY": "", "GATEWAY_SIGNING_KEY_FILE": file(testSigningKey(t)),
		"REDIS_URL": "", "REDIS_URL_FILE": file(redisURL(t)),
	}})
	token, _ := g.tokens.create("")
	if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK {
		t.Error(a.Status)
	}
}

func TestDemoSecretsAreAcceptedAndAnnouncedInDevelopmentMode(t *testing.T) {
	t.Parallel()

	for name, key := range map[string]string{
		"with its key":  inPEM(t, []byte("demo-gateway-key-for-laptops-xx-")),
		"without a key": "",
	} {
		process := exec.CommandContext(t.Context(), os.Args[0], "validate", "--config", "../Caddyfile", "--adapter",
			"caddyfile")
		process.Env = []string{
			becomeGateway + "=1", "HOME=" + t.TempDir(), "QUAYSIDE_DEMO=true",
			"GATEWAY_CREDENTIAL=demo-0123456789012345678901234567890", "GATEWAY_SIGNING_KEY=" + key,
		}
		// Redis and tokens-svc do not run: validating needs no network.
		if output, err := process.CombinedOutput(); err != nil ||
			!strings.Contains(string(output), "development mode: accepts the public demo secrets") {
			t.Errorf("%s: %v:\n%s", name, err, output)
		}
	}
}

// testKey signs the assertions of the gateways under test.
var testKey = ed25519.NewKeyFromSeed([]byte("a key of the tests, of 32 bytes."))

func testSigningKey(t testing.TB) string {
	t.Helper()
	return inPEM(t, testKey.Seed())
}

func inPEM(t testing.TB, seed []byte) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
