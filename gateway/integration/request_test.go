package integration

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
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

// do sends a request. On a busy machine Redis may not respond within 50 ms, or the tokens service within 250 ms. If the
// response is 503 for that reason, do repeats the request, unless the test has a Redis of its own or causes the fault.
func (g *gateway) do(t *testing.T, request *http.Request) answer {
	t.Helper()
	for range 100 {
		a := g.once(t, request)
		if (g.noRedis || !a.disturbed()) && (g.tokens.fault.Load() != 0 || !a.unauthenticated()) {
			return a
		}
		if request.GetBody != nil {
			request.Body, _ = request.GetBody()
		}
		<-time.After(50 * time.Millisecond) // the circuit breaker is open for a second
	}
	t.Fatal("calls of Redis or the tokens service time out")
	return answer{}
}

// once sends a request once.
func (g *gateway) once(t *testing.T, request *http.Request) answer {
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

// introspect makes the gateway cache token. On a busy machine the first introspection may time out, and the response
// is 503.
func (g *gateway) introspect(t *testing.T, token string) (requests int) {
	t.Helper()
	eventually(t, func() bool {
		requests++
		return g.once(t, g.request(t, "/api/v1/shipments", newCaller(t), token)).StatusCode == http.StatusOK
	}, "a cached token", g.log)
	return requests
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

// disturbed reports whether a is 503 because Redis did not count the request.
func (a answer) disturbed() bool {
	return a.StatusCode == http.StatusServiceUnavailable && strings.Contains(a.body, `"limiter_unavailable"`)
}

// unauthenticated reports whether a is 503 because the tokens service did not respond.
func (a answer) unauthenticated() bool {
	return a.StatusCode == http.StatusServiceUnavailable && strings.Contains(a.body, `"auth_unavailable"`)
}

// timedOut reports whether text, a raw response, is 503 because Redis or the tokens service did not respond. Those who
// send raw requests repeat them then, as do does.
func timedOut(text string) bool {
	return strings.Contains(text, `"limiter_unavailable"`) || strings.Contains(text, `"auth_unavailable"`)
}

// disturbed reports whether a call of Redis or the tokens service timed out, after which counts may differ.
func (g *gateway) disturbed() bool {
	log := g.log.String()
	return strings.Contains(log, "rate limiter fails") || strings.Contains(log, "tokens service fails")
}

// undisturbed runs round, a test of exact counts, until it reports that no call of Redis or the tokens service timed
// out. A request whose call timed out is refused, and Redis may have counted it.
func undisturbed(t *testing.T, round func() bool) {
	t.Helper()
	for range 10 {
		if round() {
			return
		}
		<-time.After(300 * time.Millisecond) // the circuit breaker is open for a second
	}
	t.Error("calls of Redis or the tokens service timed out in every round")
}
