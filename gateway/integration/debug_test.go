package integration

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// inside makes a GET on the internal listener.
func (g *gateway) inside(t *testing.T, path string) (status int, body string) {
	t.Helper()
	response, err := http.Get(g.inner + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestDebugEndpointsShowProfilesAndStateOnTheInnerListenerOnly(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{"DEBUG_ENDPOINTS": "true"}})
	token, _ := g.tokens.create("")
	g.introspect(t, token)
	status, body := g.inside(t, "/debug/state")
	var state struct {
		Limiters []struct {
			CircuitBreaker string `json:"circuit_breaker"`
			Windows        int
		} `json:"rate_limiters"`
		Services []struct {
			Active  int `json:"active_results"`
			Reached bool
		} `json:"tokens_services"`
	}
	if err := json.Unmarshal([]byte(body), &state); err != nil || status != http.StatusOK || strings.Contains(body, token) {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	if len(state.Limiters) != 1 || state.Limiters[0].CircuitBreaker == "" || state.Limiters[0].Windows == 0 ||
		len(state.Services) != 1 || state.Services[0].Active != 1 || !state.Services[0].Reached {
		t.Errorf("state %s", body)
	}
	for path, want := range map[string]string{"/debug/pprof/": "goroutine", "/debug/pprof/heap?debug=1": "heap profile", "/debug/pprof/cmdline": "run"} {
		if status, body := g.inside(t, path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if a := g.get(t, "/debug/state", newCaller(t), token); a.StatusCode != http.StatusNotFound {
		t.Errorf("on the public listener: %s", a.Status)
	}
}

func TestDebugEndpointsAreOffByDefault(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	for _, path := range []string{"/debug/state", "/debug/pprof/"} {
		if status, _ := g.inside(t, path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}
