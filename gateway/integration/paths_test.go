package integration

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// targets returns those of the requests since the last call.
func (u *recorder) targets() (all []string) {
	for _, r := range u.take() {
		all = append(all, r.RequestURI)
	}
	return all
}

// oneLine sends a request unchanged and returns the status, or an empty string without a response.
func (g *gateway) oneLine(t *testing.T, request string) string {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write([]byte(request)); err != nil {
		return ""
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	_, status, _ := strings.Cut(strings.TrimSpace(line), " ")
	status, _, _ = strings.Cut(status, " ")
	return status
}

// The gate decides by the path that the service receives. An ambiguous path is not forwarded, and neither is any of
// these requests without a token.
func TestAmbiguousPathsReachNoOtherRoute(t *testing.T) {
	t.Parallel()

	shipments, tokens := new(recorder), new(recorder)
	other := httptest.NewServer(ready(tokens))
	t.Cleanup(other.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(other.URL, "http://"))
	g := start(t, options{upstream: shipments, env: map[string]string{"TOKENS_PORT": port, "REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	eventually(t, func() bool { return g.get(t, "/api/v1/token", newCaller(t), token).StatusCode == http.StatusOK },
		"tokens-svc", g.log)
	_, _ = shipments.take(), tokens.take()

	for target, want := range map[string]string{ // with a token; empty: not forwarded
		"/api/v1/shipments":                   "shipments /api/v1/shipments",
		"/api/v1/shipments/":                  "", // 404 with a suggestion
		"/API/v1/Shipments":                   "shipments /API/v1/Shipments",
		"/api/v1/%74okens":                    "tokens /api/v1/%74okens",
		"//api/v1/shipments":                  "",
		"/api/v1/./shipments":                 "",
		"/api/v1/shipments/../tokens":         "",
		"/api/v1/shipments/%2e%2e/tokens":     "",
		"/api/v1/shipments/..%2ftokens":       "",
		"/api/v1%2fshipments":                 "",
		"/api/v1/shipments/..;/tokens":        "",
		"/api/v1/shipments\\..\\tokens":       "",
		"/api/v1/shipments/x%00":              "",
		"/api/v1/shipments/x%0d%0aX-Evil:%20": "",
		"/api/v1/shipments#/../tokens":        "",
		"/problems/../api/v1/shipments":       "",
		"/problems/..%2fapi/v1/shipments":     "",
		"/api/v1/openapi.json%2f..%2ftokens":  "",
		"/settings/%2e%2e/api/v1/tokens":      "",
		"/\xc5\xbfettings":                    "",
		"/..":                                 "",
		"/":                                   "",
		"*":                                   "",
		"api/v1/shipments":                    "",
		"/api/v1/shipments HTTP/1.1\r\nX: ":   "HTTP/2 only", // another request line
	} {
		for _, bearer := range []string{"", "Bearer " + token} {
			expected, caller := want, newCaller(t) // each with a window of its own
			if bearer == "" {
				expected = ""
			}
			statuses := map[string]string{}
			if want != "HTTP/2 only" {
				statuses["HTTP/1"] = g.oneLine(t,
					"GET "+target+" HTTP/1.1\r\nHost: api\r\nAuthorization: "+bearer+"\r\nX-Forwarded-For: "+caller+
						"\r\nConnection: close\r\n\r\n")
				checkForwarded(t, "GET "+target, expected, shipments, tokens)
			} else {
				expected = ""
			}
			statuses["HTTP/2"], _ = g.askHTTP2(t, "GET", target, "authorization", bearer, "x-forwarded-for", caller)
			checkForwarded(t, "HTTP/2 GET "+target, expected, shipments, tokens)
			for version, status := range statuses {
				if expected == "" && strings.HasPrefix(status, "2") {
					t.Errorf("%s %q with %.6q: %s", version, target, bearer, status)
				}
			}
		}
	}

	for line, want := range map[string]string{
		"GET http://other.example/api/v1/shipments":   "shipments /api/v1/shipments",
		"GET https://other.example/api/v1/tokens?a=b": "tokens /api/v1/tokens?a=b",
		"GET http://other.example/problems/../api":    "",
		"GET http:api/v1/shipments":                   "",
		"TRACE /api/v1/shipments":                     "",
		"CONNECT /api/v1/shipments":                   "",
		"CONNECT http://api/api/v1/shipments":         "",
		"OPTIONS *":                                   "",
		"get /api/v1/shipments":                       "shipments /api/v1/shipments",
	} {
		g.oneLine(t,
			line+" HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer "+token+"\r\nX-Forwarded-For: "+newCaller(t)+
				"\r\nConnection: close\r\n\r\n")
		checkForwarded(t, line, want, shipments, tokens)
	}
	for method, want := range map[string]string{"TRACE": "", "CONNECT": ""} {
		status, _ := g.askHTTP2(t, method, "/api/v1/shipments", "authorization", "Bearer "+token)
		checkForwarded(t, "HTTP/2 "+method, want, shipments, tokens)
		if strings.HasPrefix(status, "2") {
			t.Errorf("HTTP/2 %s: %s", method, status)
		}
	}
	c := g.dialHTTP2(t)
	if err := c.open(true, ":method", "CONNECT", ":authority", "api:80", "authorization", "Bearer "+token); err != nil {
		t.Fatal(err)
	}
	if status, _ := c.answer(); status != "405" {
		t.Errorf("HTTP/2 CONNECT: %s", status)
	}
	checkForwarded(t, "HTTP/2 CONNECT", "", shipments, tokens)
}

// checkForwarded fails unless the last request was forwarded to want only.
func checkForwarded(t *testing.T, sent, want string, shipments, tokens *recorder) {
	t.Helper()
	var got []string
	for _, target := range shipments.targets() {
		got = append(got, "shipments "+target)
	}
	for _, target := range tokens.targets() {
		got = append(got, "tokens "+target)
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("%q: forwarded to %q, want %q", sent, got, want)
	}
}
