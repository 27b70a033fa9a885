package tokengate

import (
	"net/http"
	"strings"
	"testing"
)

// Only the gate says these things to clients.
func TestHeadersOfServicesThatOnlyTheGateMaySetAreRemoved(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), strings.Replace(activeBody, "{", `{"exp":4102444800,"rotated_to":"tok_000000000001",`,
		1))
	for _, answers := range []bool{true, false} { // with and without a call of WriteHeader
		w, _ := g.serve(t, request(http.MethodGet, "/"), func(w http.ResponseWriter, _ *http.Request) error {
			h := w.Header()
			for _, name := range []string{
				"Server", "Via", "X-Request-ID", "X-RateLimit-Limit", "RateLimit", "RateLimit-Policy", "Sunset", "Set-Cookie",
				"Access-Control-Allow-Credentials",
			} {
				h.Set(name, "service")
			}
			h.Set("X-Kept", "service")
			if answers {
				w.WriteHeader(http.StatusOK)
			}
			return nil
		})
		for name, values := range w.Header() {
			for _, value := range values {
				if value == "service" && name != "X-Kept" {
					t.Errorf("%s of the service is sent", name)
				}
			}
		}
		if got := w.Header().Get("Sunset"); got != "Fri, 01 Jan 2100 00:00:00 GMT" {
			t.Errorf("Sunset %q", got)
		}
	}
	if w, _ := g.serve(t, request(http.MethodGet, "/settings/x"), func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Set-Cookie", "session=x")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		return nil
	}); w.Header().Get("Set-Cookie") != "session=x" || w.Header().Get("Sunset") != "" ||
		w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("of a page: %v", w.Header())
	}
}
