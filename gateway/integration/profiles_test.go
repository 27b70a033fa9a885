package integration

import (
	"net/http"
	"testing"
)

// inside sends a request to the internal listener.
func (g *gateway) inside(t *testing.T, path string) (status int) {
	t.Helper()
	response, err := http.Get(g.inner + path)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// Profiles are served by the internal listener only, and only if DEBUG_ENDPOINTS is true.
func TestProfilesAreServedInsideOnly(t *testing.T) {
	t.Parallel()

	on := start(t, options{env: map[string]string{"DEBUG_ENDPOINTS": "true"}})
	off := start(t, options{})
	const path = "/debug/pprof/cmdline"
	if on.inside(t, path) != http.StatusOK || off.inside(t, path) != http.StatusNotFound {
		t.Errorf("on %d, off %d", on.inside(t, path), off.inside(t, path))
	}
	token, _ := on.tokens.create("")
	for _, path := range []string{path, "/metrics", "/readyz"} {
		if a := on.get(t, path, newCaller(t), token); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s at the public listener: %s", path, a.Status)
		}
	}
}
