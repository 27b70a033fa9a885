package integration

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// dial opens a connection from the test's own address: all gateways count in one Redis, where other tests exhaust the
// window of 127.0.0.1.
func (g *gateway) dial() (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(g.client)}}
	return dialer.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
}

// request returns a GET from caller, a client address of the test's own, with token unless it is empty.
func (g *gateway) request(t *testing.T, path, caller, token string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Forwarded-For", caller)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return request
}

// get sends a GET.
func (g *gateway) get(t *testing.T, path, caller, token string) answer {
	t.Helper()
	return g.do(t, g.request(t, path, caller, token))
}

// do sends a request.
func (g *gateway) do(t *testing.T, request *http.Request) answer {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("%v; the gateway's log:\n%s", err, g.log)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

// answer is a response with its whole body.
type answer struct {
	*http.Response

	body string
}

// problem decodes a problem+json body.
func (a answer) problem(t *testing.T) map[string]any {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %q", got)
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(a.body), &members); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return members
}
