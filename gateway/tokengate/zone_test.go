package tokengate

import (
	"net/http"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func TestARequestWithoutAKeyIsNotCounted(t *testing.T) {
	t.Parallel()

	limit := Zone{Key: "{http.request.header.X-Customer}", Requests: 1, Window: caddy.Duration(time.Minute)}
	g := newTestGate(t, &Gate{Limit: limit}, activeBody)
	for range 3 {
		if w, got := g.serve(t, request(http.MethodGet, "/"), nil); !got.forwarded || field(w, "X-RateLimit-Limit") != "" {
			t.Fatalf("%d %s, %v", w.Code, w.Body, w.Header())
		}
	}
}
