package integration

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Only documents may be as large as shipments-svc accepts them.
func TestOnlyDocumentsMayBeLarge(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the gateway ended the request
		}
		_, _ = io.WriteString(w, "{}")
	})})
	token, _ := g.tokens.create("")
	for _, tt := range []struct {
		path  string
		bytes int
		want  int
	}{
		{"/api/v1/shipments", 1 << 20, http.StatusOK},
		{"/api/v1/shipments", 1<<20 + 1, http.StatusRequestEntityTooLarge},
		{"/api/v1/shipments/ship_1/approve", 1<<20 + 1, http.StatusRequestEntityTooLarge},
		{"/api/v1/shipments/ship_1/documents", 14 << 20, http.StatusOK},
		{"/api/v1/shipments/ship_1/documents", 14<<20 + 1, http.StatusRequestEntityTooLarge},
		{"/api/v1/tokens", 1<<20 + 1, http.StatusRequestEntityTooLarge},
	} {
		request := g.request(t, tt.path, newCaller(t), token)
		request.Method = http.MethodPost
		request.ContentLength = int64(tt.bytes)
		request.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(strings.Repeat("x", tt.bytes))), nil
		}
		request.Body, _ = request.GetBody()
		if a := g.do(t, request); a.StatusCode != tt.want {
			t.Errorf("%d bytes to %s: %s, want %d", tt.bytes, tt.path, a.Status, tt.want)
		}
	}
}

// A GET of a shipment with Prefer: wait has the timeout of a long poll.
func TestPreferWaitExtendsTheTimeout(t *testing.T) {
	t.Parallel()

	const late = 1700 * time.Millisecond // longer than the timeout of other routes
	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(late):
			_, _ = io.WriteString(w, "{}")
		case <-r.Context().Done():
		}
	})})
	token, _ := g.tokens.create("")
	for prefer, want := range map[string]int{
		"": http.StatusGatewayTimeout, "respond-async": http.StatusGatewayTimeout,
		"wait=25": http.StatusOK, "respond-async, wait=25": http.StatusOK,
	} {
		request := g.request(t, "/api/v1/shipments/ship_1", newCaller(t), token)
		if prefer != "" {
			request.Header.Set("Prefer", prefer)
		}
		if a := g.do(t, request); a.StatusCode != want {
			t.Errorf("Prefer %q: %s, want %d", prefer, a.Status, want)
		}
	}
}
