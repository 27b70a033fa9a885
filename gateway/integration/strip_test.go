package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// recorder is a service that keeps its requests.
type recorder struct {
	mu  sync.Mutex
	all []*http.Request
}

func (u *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // trailers follow the body
	u.mu.Lock()
	u.all = append(u.all, r)
	u.mu.Unlock()
	_, _ = io.WriteString(w, "{}")
}

// take returns the requests since the last call.
func (u *recorder) take() []*http.Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	defer func() { u.all = nil }()
	return u.all
}

// last returns the last request since the last call, or nil.
func (u *recorder) last() *http.Request {
	if all := u.take(); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// identityNames are the headers that only the gateway may send to a service, or that no service may receive.
var identityNames = []string{
	"X-Organization-ID", "X-Token-ID", "X-Token-Permissions", "X-Request-ID", "X-Gateway-Assertion", "X-Client-Address",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Forwarded", "X-Forwarded-For", "X-Forwarded-User",
	"Cookie",
}

// A client that could remove, change or double the gateway's identity headers could choose its principal. Each case is
// an attack that once worked on some proxy.
func TestReservedHeadersOfClientsAreRemoved(t *testing.T) {
	t.Parallel()

	upstream := new(recorder)
	g := start(t, options{upstream: upstream, env: map[string]string{"TRUSTED_PROXIES": ""}})
	cases := map[string][]string{"nothing": nil}
	for _, name := range identityNames {
		cases[name+" twice"] = []string{strings.ToUpper(name) + ": evil", strings.ReplaceAll(name, "-", "_") + ": evil"}
		cases[name+" in Connection"] = []string{"connection: close ,\t" + strings.ToLower(name) + ",,", name + ": evil"}
		cases[name+" in a trailer"] = []string{"Transfer-Encoding: chunked", "Trailer: " + name, "", "0", name + ": evil"}
	}
	for name, lines := range cases {
		// One after the other, because the service keeps the last request only; and each with a token
		// of its own, because there are more cases than a window has requests.
		_ = upstream.take()
		token, id := g.tokens.create("")
		lines = append([]string{"Authorization: Bearer " + token}, lines...)
		status := g.raw(t, lines)
		got := upstream.last()
		if got == nil {
			t.Errorf("%s: not forwarded: %s", name, status)
			continue
		}
		hasGatewayIdentity(t, name, id, g.client, got)
	}
}

// hasGatewayIdentity fails unless the identity headers of got are the gateway's, without anything from the client.
func hasGatewayIdentity(t *testing.T, name, id, client string, got *http.Request) {
	t.Helper()
	for header, want := range map[string]string{
		"X-Organization-Id": testOrganization, "X-Token-Id": id, "X-Token-Permissions": "shipments:read shipments:write",
		"X-Client-Address": client,
	} {
		if values := got.Header[header]; len(values) != 1 || values[0] != want {
			t.Errorf("%s: %s is %q, want %q", name, header, values, want)
		}
	}
	if values := got.Header["X-Request-Id"]; len(values) != 1 || !strings.HasPrefix(values[0], "req_") {
		t.Errorf("%s: X-Request-Id is %q", name, values)
	}
	if values := got.Header["X-Gateway-Assertion"]; len(values) != 1 || len(values[0]) < 100 {
		t.Errorf("%s: X-Gateway-Assertion is %q", name, values)
	}
	for header, values := range got.Header {
		if strings.Contains(strings.Join(values, " "), "evil") || header == "Authorization" || header == "Cookie" ||
			header == "Connection" || strings.HasPrefix(header, "X-Forwarded-") {
			t.Errorf("%s: the service received %s: %q", name, header, values)
		}
	}
	if len(got.Trailer) > 0 {
		t.Errorf("%s: the service received trailers %v", name, got.Trailer)
	}
}

// raw sends a request with these lines unchanged, which net/http's client would not. An empty line ends the header.
func (g *gateway) raw(t *testing.T, lines []string) string {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\n%s\r\n\r\n",
		strings.Join(lines, "\r\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 4096)
	n, err := conn.Read(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer[:n])
}

func TestIdentityHeadersAreThoseOfTheContract(t *testing.T) {
	t.Parallel()

	raw, err := os.ReadFile("../testdata/contract/identity.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract map[string]string
	if err := json.Unmarshal(raw, &contract); err != nil {
		t.Fatal(err)
	}
	upstream := new(recorder)
	g := start(t, options{upstream: upstream})
	const token = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	g.tokens.answers.Store(token, fmt.Sprintf(`{"active":true,"scope":%q,"sub":%q,"organization_id":%q}`,
		contract["X-Token-Permissions"], contract["X-Token-ID"], contract["X-Organization-ID"]))
	a := g.get(t, "/api/v1/shipments", newCaller(t), token)
	if a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	contract["X-Request-ID"] = a.Header.Get("X-Request-ID")
	forwarded := upstream.last()
	assertion, err := jwt.ParseSigned(forwarded.Header.Get("X-Gateway-Assertion"),
		[]jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	if err := assertion.Claims(testKey.Public(), &claims); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"iss": "quayside-gateway", "aud": "shipments-svc", "sub": contract["X-Token-ID"],
		"org": contract["X-Organization-ID"], "scope": contract["X-Token-Permissions"],
	} {
		if claims[name] != want {
			t.Errorf("the claim %s is %v, want %v", name, claims[name], want)
		}
	}
	for name, want := range contract {
		if got := forwarded.Header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
