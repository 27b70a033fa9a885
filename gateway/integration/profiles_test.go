package integration

import (
	"net/http"
	"testing"
)

const profile = "/debug/pprof/cmdline"

// profile requests a profile at the internal listener.
func (g *gateway) profile(t *testing.T) (status int) {
	t.Helper()
	response, err := http.Get(g.inner + profile)
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
	if on.profile(t) != http.StatusOK || off.profile(t) != http.StatusNotFound {
		t.Errorf("on %d, off %d", on.profile(t), off.profile(t))
	}
	token, _ := on.tokens.create("")
	for _, path := range []string{profile, "/metrics", "/readyz"} {
		if a := on.get(t, path, newCaller(t), token); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s at the public listener: %s", path, a.Status)
		}
	}
}
