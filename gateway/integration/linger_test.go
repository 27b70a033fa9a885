package integration

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A client that sends its whole body before it reads, as Python's urllib does, gets the response of a refusal, and not
// a reset connection.
func TestRequestsRefusedBeforeTheirBodyGetAResponse(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{"REDIS_DOWN": "allow"}})
	good, _ := g.tokens.create("")
	body := strings.Repeat("x", 16_000_000)
	for token, want := range map[string]int{"malformed": http.StatusUnauthorized, good: http.StatusRequestEntityTooLarge} {
		conn, err := g.dial()
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn,
			"POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nConnection: close\r\nX-Forwarded-For: %s\r\n"+
				"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", newCaller(t), token, len(body), body)
		if err != nil {
			t.Errorf("%d: sending: %v", want, err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = response.Body.Close(), conn.Close()
		if response.StatusCode != want {
			t.Errorf("%s, want %d", response.Status, want)
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
		if _, err := fmt.Fprintf(conn,
			"POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nX-Forwarded-For: %s\r\nContent-Length: "+
				"500000\r\nExpect: 100-continue\r\n\r\n", newCaller(t)); err != nil {
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
