package integration

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A client that is still sending its body when the gateway refuses the request gets the response, not a reset
// connection. Clients without keep-alive are affected.
func TestRequestsRefusedBeforeTheirBodyGetAResponse(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	good, _ := g.tokens.create("")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	body := strings.Repeat("x", 4<<20)
	for range 20 {
		for token, want := range map[string]int{"malformed": http.StatusUnauthorized, good: http.StatusRequestEntityTooLarge} {
			request := g.request(t, "/api/v1/shipments", newCaller(t), token)
			again, err := http.NewRequestWithContext(t.Context(), http.MethodPost, request.URL.String(), strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			again.Header = request.Header
			response, err := client.Do(again)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != want && response.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s, want %d", response.Status, want)
			}
		}
	}
}

// A client that waits for 100 Continue gets the refusal instead, before the second that a body may still take.
func TestARefusalDoesNotWaitForABodyThatTheClientHoldsBack(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	fastest := time.Hour
	for range 10 { // on a busy machine one may take longer
		conn, err := g.dial()
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := fmt.Fprintf(conn, "POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nX-Forwarded-For: %s\r\nContent-Length: 500000\r\nExpect: 100-continue\r\n\r\n", newCaller(t)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		fastest = min(fastest, time.Since(begin))
		_, _ = response.Body.Close(), conn.Close()
		if response.StatusCode != http.StatusUnauthorized || !response.Close {
			t.Errorf("%s, %v", response.Status, response.Header)
		}
	}
	if fastest > 900*time.Millisecond {
		t.Errorf("the fastest took %v", fastest)
	}
}
