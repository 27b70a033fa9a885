package tokengate

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func exampleWindow(left time.Duration) windowState {
	reset := time.Unix(1_795_255_455, 0)
	return windowState{tokenWindow, ratelimit.Result{
		Quota: ratelimit.Quota{Limit: 100, Window: time.Minute}, Remaining: 57, Reset: reset, Now: reset.Add(-left),
	}}
}

func TestWindowHeaders(t *testing.T) {
	t.Parallel()

	header := http.Header{}
	exampleWindow(22*time.Second + time.Millisecond).setHeaders(header)
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

func TestSecondsLeftAreRoundedUpAndAtLeast1(t *testing.T) {
	t.Parallel()

	for left, want := range map[time.Duration]int{
		time.Minute: 60, 59*time.Second + 1: 60, 59 * time.Second: 59, 1: 1, 0: 1, -time.Second: 1,
	} {
		if got := exampleWindow(left).secondsLeft(); got != want {
			t.Errorf("%v left: %d, want %d", left, got, want)
		}
	}
}

func BenchmarkHeaderPath(b *testing.B) {
	recorder := httptest.NewRecorder()
	wrapper := caddyhttp.ResponseWriterWrapper{ResponseWriter: recorder}
	gate, window := new(Gate), exampleWindow(23*time.Second)
	header := recorder.Header()
	b.ReportAllocs()
	for b.Loop() {
		header["Content-Type"] = []string{"application/json"}
		header["X-Ratelimit-Limit"] = []string{"of the service"}
		w := responseWriter{
			gate: gate, ResponseWriterWrapper: wrapper, requestID: "req_01k9x3v7t2e8sbq4m6n0pacdfh",
			window: window,
		}
		w.WriteHeader(http.StatusOK)
	}
}
