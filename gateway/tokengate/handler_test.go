package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// The allocations of a request with a known token, without those of Caddy and of the proxy.
func BenchmarkKnownToken(b *testing.B) {
	const plenty = `,"rate_limit":{"limit":1000000,"window_seconds":86400}}`
	g := newTestGate(b, new(Gate), strings.TrimSuffix(activeBody, "}")+plenty)
	next := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
	server := &caddyhttp.Server{}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		w := httptest.NewRecorder()
		r := request(http.MethodGet, "/api/v1/shipments")
		r.Header["Accept"], r.Header["User-Agent"] = []string{"*/*"}, []string{"curl/8.5.0"}
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, server)
		b.StartTimer()
		if err := g.ServeHTTP(w, r, next); err != nil {
			b.Fatal(err)
		}
	}
}
