package integration

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// table is an introspection endpoint over hashes of keys, as an operator would write one.
type table map[[sha256.Size]byte]string

func (t table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer a credential" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer, known := t[sha256.Sum256([]byte(r.PostFormValue("token")))]
	if !known {
		answer = `{"active":false}`
	}
	_, _ = io.WriteString(w, answer)
}

// startFosite runs the server of deploy/tools/fosite and returns its URL and a token for each list of scopes.
func startFosite(t *testing.T) (server string, token func(scopes string) string) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("builds an OAuth server: set CI")
	}
	program := filepath.Join(t.TempDir(), "fosite")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "../../deploy/tools/fosite", "-o", program, ".")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	process := exec.CommandContext(t.Context(), program)
	stdout, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Wait() })
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	server = "http://" + strings.TrimSpace(address)
	return server, func(scopes string) string {
		form := url.Values{"grant_type": {"client_credentials"}, "scope": {scopes}}
		body := strings.NewReader(form.Encode())
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/token", body)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("orders", url.QueryEscape(fositeSecret))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var granted struct {
			Token string `json:"access_token"`
		}
		if err := json.NewDecoder(response.Body).Decode(&granted); err != nil || granted.Token == "" {
			t.Fatalf("%s: %v", response.Status, err)
		}
		return granted.Token
	}
}

const fositeSecret = "a secret: 50%"

// startGuide runs the Caddyfile of a section of the guide, with the endpoint at that URL and a service that echoes.
func startGuide(t *testing.T, section, introspection string) *gateway {
	t.Helper()
	guide, err := os.ReadFile("../../deploy/docs/how-to/token-gate.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)## " + section + "\n.*?```caddyfile\n(.*?)```").FindSubmatch(guide)
	if found == nil {
		t.Fatalf("no Caddyfile in %s", section)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"X-Token-Id", "X-Token-Permissions", "X-User", "X-Quota", "Authorization"} {
			w.Header().Set("Seen-"+name, r.Header.Get(name))
		}
	}))
	t.Cleanup(service.Close)
	public, inner := freePort(t), freePort(t)
	text := strings.NewReplacer(
		":8080", "http://127.0.0.1:"+public, "https://id.example.com/introspect", introspection,
		"http://localhost:4000/introspect", introspection, "localhost:3000", strings.TrimPrefix(service.URL, "http://"),
		"2 10s", "2 24h"). // so that no window ends during a test
		Replace(string(found[1]))
	text = "{\nadmin off\npersist_config off\n}\n" + text + "\nhttp://127.0.0.1:" + inner + " {\nrespond /livez 200\n}\n"
	path := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := &gateway{url: "http://127.0.0.1:" + public, inner: "http://127.0.0.1:" + inner, log: new(testserver.Log)}
	g.launch(t, path, map[string]string{
		becomeGateway: "1", "CLIENT_SECRET": fositeSecret, "KEYS_CREDENTIAL": "a credential",
		"REDIS_URL": os.Getenv("TEST_REDIS_URL"),
	})
	return g
}

func TestTheGateWorksWithAnOAuthServer(t *testing.T) {
	t.Parallel()

	server, grant := startFosite(t)
	reader, writer := grant("read"), grant("read write")
	for section, check := range map[string]func(*testing.T, *gateway){
		"Any OAuth server": func(t *testing.T, g *gateway) {
			a := g.get(t, "/orders", "", reader)
			if a.StatusCode != http.StatusOK || a.Header.Get("Seen-X-Token-Id") != "orders@example.com" ||
				a.Header.Get("Seen-X-Token-Permissions") != "read" || a.Header.Get("Seen-Authorization") != "" ||
				a.Header.Get("X-Ratelimit-Remaining") != "99" {
				t.Errorf("%s %v %s", a.Status, a.Header, g.log)
			}
			if a := g.get(t, "/orders", "", "unknown"); a.StatusCode != http.StatusUnauthorized ||
				!strings.Contains(a.Header.Get("WWW-Authenticate"), `Bearer error="invalid_token"`) {
				t.Errorf("%s %v", a.Status, a.Header)
			}
		},
		"Limits across gateways, by user, address and tenant": func(t *testing.T, g *gateway) {
			for i, token := range []string{reader, reader, writer} { // of one user
				a := g.get(t, "/orders", "", token)
				refused := a.StatusCode == http.StatusTooManyRequests
				if refused != (i == 2) || !strings.Contains(a.Header.Get("RateLimit"), "burst") {
					t.Errorf("%d: %s %v", i, a.Status, a.Header)
				}
			}
		},
		"Scopes for each route": func(t *testing.T, g *gateway) {
			a := g.get(t, "/orders", "", reader)
			if a.StatusCode != http.StatusOK || a.Header.Get("Seen-X-User") != "orders@example.com" ||
				a.Header.Get("Seen-X-Quota") != "99 of 100" {
				t.Errorf("%s %v", a.Status, a.Header)
			}
			if a := g.get(t, "/admin/x", "", writer); a.StatusCode != http.StatusForbidden ||
				a.Header.Get("WWW-Authenticate") != `Bearer error="insufficient_scope", scope="admin"` {
				t.Errorf("%s %v %s", a.Status, a.Header, a.body)
			}
			for token, want := range map[string]int{reader: 403, writer: 200} {
				request := g.request(t, "/orders", "", token)
				if request.Method = http.MethodPost; g.do(t, request).StatusCode != want {
					t.Errorf("POST is not %d", want)
				}
			}
		},
		"Errors of your own": func(t *testing.T, g *gateway) {
			a := g.get(t, "/orders", "", "unknown")
			if a.StatusCode != http.StatusUnauthorized || a.body != "Sorry: The API token is unknown." {
				t.Errorf("%s %s", a.Status, a.body)
			}
		},
	} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			check(t, startGuide(t, section, server+"/introspect"))
		})
	}
}

func TestTheGateWorksWithATableOfHashedKeys(t *testing.T) {
	t.Parallel()

	key := "acme_" + strings.Repeat("k", 26)
	sum, digits := crc32.ChecksumIEEE([]byte(key)), [6]byte{}
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[sum%62]
		sum /= 62
	}
	key += string(digits[:])
	answer := `{"active":true,"sub":"customer-7","scope":"read","rate_limit":{"limit":2,"window_seconds":86400}}`
	server := httptest.NewServer(table{sha256.Sum256([]byte(key)): answer})
	t.Cleanup(server.Close)
	g := startGuide(t, "API keys of your own", server.URL)
	for _, want := range []int{200, 200, 429} {
		if a := g.get(t, "/", "", key); a.StatusCode != want {
			t.Errorf("%s %s", a.Status, a.body)
		}
	}
	a := g.get(t, "/", "", key[:36]+"-")
	challenge := a.Header.Get("WWW-Authenticate")
	if a.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, `realm="acme"`) ||
		!strings.Contains(challenge, "malformed") {
		t.Errorf("%s %v", a.Status, a.Header)
	}
	if a := g.get(t, "/docs/a", "", ""); a.StatusCode != http.StatusOK || a.body != "The documentation needs no key." {
		t.Error(fmt.Sprint(a.Status, a.body))
	}
}
