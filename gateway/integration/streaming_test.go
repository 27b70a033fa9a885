package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// A header arrives before there is a body, and events and lines arrive one by one, however long the service pauses.
// encode keeps other headers until the first bytes of the body.
func TestResponsesAreStreamed(t *testing.T) {
	t.Parallel()

	next := make(chan struct{})
	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.URL.Query().Get("type")
		w.Header().Set("Content-Type", kind)
		if kind != "text/event-stream" {
			w.Header().Set("Incremental", "?1")
		}
		_ = http.NewResponseController(w).Flush()
		for n := range 3 {
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
			_, _ = fmt.Fprintf(w, "data: %d\n", n)
			_ = http.NewResponseController(w).Flush()
		}
	}), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for _, kind := range []string{"text/event-stream", "application/x-ndjson", "application/json"} {
		request := g.request(t, "/api/v1/shipments?type="+kind, newCaller(t), token)
		response, err := http.DefaultClient.Do(request) // returns with the header
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(response.Body)
		for n := range 3 {
			next <- struct{}{}
			if got, err := lines.ReadString('\n'); err != nil || got != fmt.Sprintf("data: %d\n", n) {
				t.Fatalf("%s: %q, %v", kind, got, err)
			}
		}
		_ = response.Body.Close()
	}
}

// Interim responses and trailers are forwarded, but for the gateway's own headers.
func TestInterimResponsesAndTrailersAreForwarded(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(misbehaving), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		var interim []textproto.MIMEHeader
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
				interim = append(interim, header)
				return nil
			},
		})
		request := g.request(t, "/api/v1/shipments/early-hints", newCaller(t), token).WithContext(ctx)
		request.Method = method
		a := g.do(t, request)
		if a.StatusCode != http.StatusOK || a.body != "after hints" || len(interim) != 1 {
			t.Errorf("%s: %s %q, %d interim responses", method, a.Status, a.body, len(interim))
		}
		if len(interim) > 0 && (interim[0].Get("Link") != "</a>" || interim[0]["X-Ratelimit-Limit"] != nil) {
			t.Errorf("%s: %v", method, interim[0])
		}

		request = g.request(t, "/api/v1/shipments/trailers", newCaller(t), token)
		request.Method = method
		a = g.do(t, request)
		if a.body != "with trailers" || a.Trailer.Get("X-Checksum") != "1" || len(a.Trailer) != 1 {
			t.Errorf("%s: %q with %v", method, a.body, a.Trailer)
		}
	}
}

// A WebSocket handshake passes, with the gate's headers on the 101, and bytes flow both ways.
func TestWebSocketsAreForwarded(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || r.Header.Get("X-Gateway-Assertion") == "" {
			return
		}
		conn, both, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(both,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSeen: %s\r\n\r\n",
			r.Header.Get("X-Token-Id"))
		_ = both.Flush()
		_, _ = io.Copy(conn, both)
	}), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, id := g.tokens.create(plenty)
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, _ = fmt.Fprintf(conn, "GET /api/v1/shipments HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer %s\r\n\r\n", token)
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil) //nolint:bodyclose // 101 has none
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", response, err)
	}
	if response.Header.Get("Seen") != id || response.Header.Get("X-RateLimit-Limit") != "1000000" {
		t.Errorf("%v", response.Header)
	}
	for _, line := range []string{"one\n", "two\n"} {
		_, _ = io.WriteString(conn, line)
		if got, err := reader.ReadString('\n'); err != nil || got != line {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

// A request that may have had an effect reaches a service once, whatever it carries: over a connection that the service
// closes without a response, or when the response comes too late.
func TestNothingThatMayHaveHadAnEffectIsSentTwice(t *testing.T) {
	t.Parallel()

	seen := make(chan string, 10)
	g := start(t, options{upstream: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch name := r.URL.Query().Get("name"); name {
		case "":
			return // a connection to be reused
		case "slow":
			seen <- name
			<-r.Context().Done()
		default:
			seen <- name
		}
		panic(http.ErrAbortHandler)
	}), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for name, tt := range map[string]struct {
		method, key, body string
		status            int
	}{
		"post":  {http.MethodPost, "", "{}", http.StatusBadGateway},
		"empty": {http.MethodPost, "", "", http.StatusBadGateway},
		"key":   {http.MethodPost, "Idempotency-Key", "", http.StatusBadGateway},
		"x-key": {http.MethodPost, "X-Idempotency-Key", "", http.StatusBadGateway},
		"put":   {http.MethodPut, "", "{}", http.StatusBadGateway},
		"slow":  {http.MethodGet, "", "", http.StatusGatewayTimeout},
	} {
		g.get(t, "/api/v1/shipments", newCaller(t), token)
		request := g.request(t, "/api/v1/shipments?name="+name, newCaller(t), token)
		request.Method = tt.method
		if tt.key != "" {
			request.Header.Set(tt.key, "1")
		}
		if tt.body != "" {
			request.Body = io.NopCloser(strings.NewReader(tt.body))
		}
		if a := g.do(t, request); a.StatusCode != tt.status {
			t.Errorf("%s: %s", name, a.Status)
		}
		if n := len(seen); n != 1 {
			t.Errorf("%s was sent %d times", name, n)
		}
		for len(seen) > 0 {
			<-seen
		}
	}
}
