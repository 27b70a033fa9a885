package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestDebugEndpointsShowStateAndProfilesAndNoSecret(t *testing.T) {
	t.Parallel()

	g := newTestGate(t, new(Gate), activeBody)
	if w, _ := g.serve(t, request(http.MethodGet, "/"), nil); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	debug := new(Debug)
	if err := debug.Provision(caddy.Context{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/debug/state": `"rate_limiters":[{`, "/debug/pprof/": "goroutine", "/debug/pprof/cmdline": "test", "/debug/pprof/goroutine?debug=2": "goroutine ",
		"/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/symbol": "num_symbols", "/debug/pprof/profile?seconds=1": "\x1f\x8b", "/debug/pprof/trace?seconds=0.01": "go 1.",
	} {
		w := httptest.NewRecorder()
		if err := debug.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil), nil); err != nil || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %v, %d %.200s", path, err, w.Code, w.Body)
		}
		for _, secret := range []string{testToken, strings.Split(testToken, "_")[3], g.credential, testOrg} {
			if secret == "" || strings.Contains(w.Body.String(), secret) {
				t.Errorf("%s shows %q", path, secret)
			}
		}
	}
	w := httptest.NewRecorder()
	if err := debug.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/state", nil), nil); err != nil ||
		w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), `"tokens_services":[{`) {
		t.Errorf("%v %v %s", err, w.Header(), w.Body)
	}
	w = httptest.NewRecorder()
	if err := debug.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/debug/state", nil), nil); err != nil || w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v %d", err, w.Code)
	}
}
