package kubernetes

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// connections is how many clients send requests at a time, each one at a time: so many can be in flight.
const connections = 6

// load is a steady stream of requests: lists, single shipments and writes, from clients that keep their connection and
// from clients that open one for each request.
type load struct {
	stop func()

	mu       sync.Mutex
	sent     int
	failures []string
}

// send starts the load. It ends with the test at the latest.
func (c *cluster) send(t *testing.T) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{}
	var clients sync.WaitGroup
	for i := range connections {
		transport := &http.Transport{DisableKeepAlives: i%2 == 1}
		clients.Go(func() {
			defer transport.CloseIdleConnections()
			c.client(ctx, l, &http.Client{Transport: transport, Timeout: 10 * time.Second}, i)
		})
	}
	l.stop = func() { cancel(); clients.Wait() }
	t.Cleanup(l.stop)
	return l
}

// client sends 20 requests a second until ctx ends.
func (c *cluster) client(ctx context.Context, l *load, client *http.Client, number int) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := number; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		//nolint:contextcheck // a request that was sent is read to its end
		failure := c.try(client, n)
		l.mu.Lock()
		l.sent++
		if failure != "" {
			l.failures = append(l.failures, time.Now().Format(time.TimeOnly)+" "+failure)
		}
		l.mu.Unlock()
	}
}

// try sends one request and says how it failed, or nothing.
func (c *cluster) try(client *http.Client, n int) (failure string) {
	method, path, body, want := http.MethodGet, "/api/v1/shipments?per_page=1", "", http.StatusOK
	switch n % 4 {
	case 1:
		path = "/api/v1/token"
	case 2:
		method, path, want = http.MethodPost, "/api/v1/shipments", http.StatusCreated
		body = fmt.Sprintf(`{"shipment":{"reference":"K8S-%d","vessel":"MSC Carmen",`+
			`"origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`, n)
	}
	status, text, err := c.request(context.Background(), client, method, path, "application/json", body)
	switch {
	case err != nil:
		return err.Error()
	case status != want:
		return fmt.Sprintf("%s %s: %d %s", method, path, status, text)
	}
	return ""
}

func (c *cluster) request(
	ctx context.Context, client *http.Client, method, path, mediaType, body string,
) (status int, text string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// awaitRequests returns when n more requests have been answered.
func (l *load) awaitRequests(t *testing.T, n int) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.sent
	}
	before := count()
	eventually(t, fmt.Sprintf("%d requests", n), func() bool { return count() >= before+n })
}

// end stops the load. At most this many requests may have failed.
func (l *load) end(t *testing.T, mayFail int) {
	t.Helper()
	l.awaitRequests(t, 100)
	l.stop()
	t.Logf("%d requests, %d failed %q", l.sent, len(l.failures), l.failures)
	if len(l.failures) > mayFail {
		t.Errorf("%d of %d requests failed, and at most %d may", len(l.failures), l.sent, mayFail)
	}
}
