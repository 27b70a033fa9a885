package tokengate

import (
	"net/http"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestWindowHeaders(t *testing.T) {
	t.Parallel()

	header, reset := http.Header{}, time.Unix(1_795_255_455, 0)
	setWindowHeaders(header, ratelimit.State{
		Window: perMinute(tokenPolicy, 100), Remaining: 57, Reset: reset, Now: reset.Add(-22*time.Second - time.Millisecond),
	})
	want := http.Header{
		"X-RateLimit-Limit":     {"100"},
		"X-RateLimit-Remaining": {"57"},
		"X-RateLimit-Reset":     {"1795255455"},
		"RateLimit-Policy":      {`"token";q=100;w=60`},
		"RateLimit":             {`"token";r=57;t=23`},
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Error(diff)
	}
}

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
