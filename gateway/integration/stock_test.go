package integration

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// startStock runs the gate with another issuer in front of Caddy's own handlers and service, and returns a token.
func startStock(t *testing.T, service http.Handler) (g *gateway, token, id string) {
	t.Helper()
	behind := httptest.NewServer(service)
	t.Cleanup(behind.Close)
	public, inner := freePort(t), freePort(t)
	g = &gateway{
		url: "http://127.0.0.1:" + public, inner: "http://127.0.0.1:" + inner, log: new(testserver.Log),
		tokens: newTokensService(t),
	}
	g.launch(t, "testdata/stock.Caddyfile", map[string]string{
		becomeGateway:           "1",
		"GATEWAY_ADDRESS":       ":" + public,
		"GATEWAY_INNER_ADDRESS": ":" + inner,
		"GATEWAY_CREDENTIAL":    testCredential,
		"GATEWAY_SIGNING_KEY":   testSigningKey(t),
		"TOKENS_INTERNAL_URL":   g.tokens.URL,
		"REDIS_URL":             redisURL(t),
		"SHIPMENTS":             strings.TrimPrefix(behind.URL, "http://"),
	})
	token, id = g.tokens.create(plenty)
	return g, token, id
}

func TestTheGateWorksBeforeStockHandlers(t *testing.T) {
	t.Parallel()

	text := strings.Repeat("all the same ", 1000)
	g, token, id := startStock(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Ratelimit-Limit", "of the service")
		for _, name := range []string{"X-Organization-Id", "X-Token-Id", "X-Gateway-Assertion", "Authorization"} {
			w.Header().Set("Seen-"+name, strings.Join(r.Header[name], "|"))
		}
		_, _ = io.WriteString(w, text)
	}))

	request := g.request(t, "/orders", "", token)
	request.Header.Set("X-Token-ID", "forged")
	request.Header.Set("Accept-Encoding", "gzip")
	a := g.do(t, request)
	unpacked, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatalf("%s, encoded as %q: %v", a.Status, a.Header.Get("Content-Encoding"), err)
	}
	if got, err := io.ReadAll(unpacked); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got := a.Header.Get("X-Served-By"); got != "stock" {
		t.Errorf("header set %q", got)
	}
	if got := a.Header["X-Ratelimit-Limit"]; len(got) != 1 || got[0] != "1000000" {
		t.Errorf("limits %q", got)
	}
	if a.Header.Get("Seen-X-Organization-Id") != testOrganization || a.Header.Get("Seen-X-Token-Id") != id ||
		a.Header.Get("Seen-Authorization") != "" {
		t.Errorf("the service received %v", a.Header)
	}
	parts := strings.Split(a.Header.Get("Seen-X-Gateway-Assertion"), ".")
	if len(parts) != 3 {
		t.Fatalf("no assertion: %v", a.Header)
	}
	var claims struct{ Iss, Aud, Sub string }
	if payload, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil ||
		json.Unmarshal(payload, &claims) != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	if claims.Iss != "acme-gateway" || claims.Aud != "orders" || claims.Sub != id {
		t.Errorf("claims %+v", claims)
	}

	if a := g.get(t, "/orders", "", ""); a.StatusCode != http.StatusUnauthorized ||
		a.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without a token: %s %q", a.Status, a.Header.Get("WWW-Authenticate"))
	}
	g.get(t, "/orders/"+token, "", token)
	if log := g.logOf(t, 3); strings.Contains(log, token) {
		t.Errorf("the token is in the log:\n%s", log)
	}
}

// What handle_errors does not answer is answered by the gate; either response is complete, and has one line in the log.
func TestHandleErrorsCanRestyleErrors(t *testing.T) {
	t.Parallel()

	broken := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	g, token, _ := startStock(t, http.HandlerFunc(broken))
	requests := 0
	for name, tt := range map[string]struct {
		path, accept, token string
		status              int
		body                string
	}{
		"refusal, restyled": {"/orders", "text/html", "", 404, "Sorry: 404 There is nothing at this path."},
		"refusal":           {"/orders", "*/*", "", 401, `"code":"missing_token"`},
		"invalid, restyled": {"/orders", "text/html", "shpt_live_x", 401, "Sorry: 401 The API token is malformed"},
		"fault, restyled": {
			"/orders", "text/html", token, 502, "Sorry: 502 The service behind the gateway cannot be reached.",
		},
		"fault":        {"/orders", "*/*", token, 502, `"code":"upstream_unreachable"`},
		"status alone": {"/gone", "*/*", "", 410, ""},
		"ambiguous":    {"/orders//x", "*/*", token, 404, `"code":"not_found"`},
	} {
		request := g.request(t, tt.path, "", tt.token)
		request.Header.Set("Accept", tt.accept)
		a := g.do(t, request)
		if a.StatusCode != tt.status || !strings.Contains(a.body, tt.body) ||
			len(a.Header["X-Ratelimit-Limit"]) != 1 || a.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %s %v %s", name, a.Status, a.Header, a.body)
		}
		if a.StatusCode == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate in %v", name, a.Header)
		}
		requests++
		lines := strings.Split(g.logOf(t, requests), `"handled request"`)
		if last := lines[len(lines)-1]; len(lines)-1 != requests || !strings.Contains(last, `"status":`+a.Status[:3]) {
			t.Errorf("%s: %d lines, %s", name, len(lines)-1, last)
		}
	}
}
