package integration

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// The connections of a thousand clients that never complete a request are closed within 30 s. Other clients are served
// meanwhile.
func TestHalfOpenConnectionsAreClosedWithin30Seconds(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create(plenty)
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	begun := map[string]string{
		"nothing":                "",
		"a request line":         "GET /api/v1/shipments HTTP/1.1\r\n",
		"a header":               "GET /api/v1/shipments HTTP/1.1\r\nHost: api\r\nX-Unfinished: ",
		"chunks":                 "POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer " + token + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"half a body":            "POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 10\r\n\r\nhalf",
		"a body without a token": "POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nContent-Length: 10\r\n\r\nhalf",
		"half a preface":         http2.ClientPreface[:10],
		"a preface":              http2.ClientPreface,
		"settings":               http2.ClientPreface + settings,
		"half a frame":           http2.ClientPreface + settings + "\x00\x00\x10\x01",
		"headers without end":    http2.ClientPreface + settings + "\x00\x00\x01\x01\x00\x00\x00\x00\x01\x82",
		"a stream without body":  http2.ClientPreface + settings + "\x00\x00\x07\x01\x04\x00\x00\x00\x01\x83\x86\x84\x41\x01\x61\x00"[:16],
	}
	each := 1000/len(begun) + 1
	var open sync.WaitGroup
	for name, start := range begun {
		for range each {
			open.Go(func() {
				conn, err := g.dial()
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				begin := time.Now()
				_ = conn.SetDeadline(begin.Add(40 * time.Second))
				_, _ = io.WriteString(conn, start)
				_, err = io.Copy(io.Discard, conn)
				if took := time.Since(begin); took > 30*time.Second {
					t.Errorf("%s: open for %v, %v", name, took, err)
				}
			})
		}
	}
	closed := make(chan struct{})
	go func() { open.Wait(); close(closed) }()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-closed:
			return
		case <-tick.C:
			begin := time.Now()
			if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK || time.Since(begin) > 10*time.Second {
				t.Errorf("others get %s after %v", a.Status, time.Since(begin))
			}
		}
	}
}
