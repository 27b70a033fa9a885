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
		a := g.do(t, request)
		if a.StatusCode != tt.want {
			t.Errorf("%d bytes to %s: %s, want %d", tt.bytes, tt.path, a.Status, tt.want)
		}
		if limit := map[int]string{1 << 20: "1 MiB", 14 << 20: "14 MiB"}[tt.bytes-1]; tt.want != http.StatusOK &&
			!strings.Contains(a.body, "larger than the "+limit) {
			t.Errorf("%d bytes to %s: %s does not give the limit", tt.bytes, tt.path, a.body)
		}
	}
}

// A GET of a shipment with Prefer: wait has the timeout of a long poll.
func TestPreferWaitExtendsTheTimeout(t *testing.T) {
	t.Parallel()

	const late = 16 * time.Second // longer than the timeout without the preference
	g := start(t, options{upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(late):
			_, _ = io.WriteString(w, "{}")
		case <-r.Context().Done():
		}
	})})
	token, _ := g.tokens.create("")
	const timeout, ok = http.StatusGatewayTimeout, http.StatusOK
	for name, tt := range map[string]struct {
		prefer []string
		want   int
	}{
		"none":                  {nil, timeout},
		"another":               {[]string{"respond-async"}, timeout},
		"another that ends so":  {[]string{"long-wait=4"}, timeout},
		"wait":                  {[]string{"wait=25"}, ok},
		"upper case":            {[]string{"WAIT=4"}, ok},
		"space around the sign": {[]string{"wait \t= 4"}, ok},
		"after another":         {[]string{"respond-async, wait=25"}, ok},
		"after a quoted comma":  {[]string{`x="a,b", wait=4`}, ok},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := g.request(t, "/api/v1/shipments/ship_1", newCaller(t), token)
			request.Header["Prefer"] = tt.prefer
			if a := g.do(t, request); a.StatusCode != tt.want {
				t.Errorf("Prefer %q: %s, want %d", tt.prefer, a.Status, tt.want)
			}
		})
	}
}
