package integration

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A request whose client disconnects is logged with status 499, and does not count as a failure of the gateway or of a
// service.
func TestAClientThatDisconnectsIsRecordedAs499(t *testing.T) {
	t.Parallel()

	arrived := make(chan struct{}, 10)
	g := start(t, options{upstream: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/api/v1/shipments/waits" {
			arrived <- struct{}{}
			<-r.Context().Done()
		}
	}), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		ctx, leave := context.WithCancel(t.Context())
		request := g.request(t, "/api/v1/shipments/waits", newCaller(t), token).WithContext(ctx)
		if request.Method = method; method == http.MethodPost {
			request.Body = io.NopCloser(strings.NewReader("{}"))
		}
		done := make(chan error, 1)
		go func() {
			response, err := new(http.Transport).RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			done <- err
		}()
		<-arrived
		leave()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	// The client disconnects within the body.
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn,
		"POST /api/v1/shipments HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer "+token+"\r\nContent-Length: "+
			"10\r\n\r\nhalf"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}

	log := g.logOf(t, 3)
	if n := strings.Count(log, `"status":499`); n != 3 {
		t.Errorf("%d requests are recorded as 499:\n%s", n, log)
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"error"`) {
			t.Errorf("an error in the log: %s", line)
		}
	}
	if metrics := g.metrics(t); strings.Contains(metrics, "quayside_gateway_upstream_failures_total{") {
		t.Errorf("failures of services are counted:\n%s", metrics)
	}
}
