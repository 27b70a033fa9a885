package integration

import "testing"

func TestDenyIs503WithoutRedis(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{
		"REDIS_URL": "redis://127.0.0.1:" + freePort(t), "REDIS_DOWN": "deny",
	}})
	good, _ := g.tokens.create("")
	for _, tt := range []struct {
		path, token string
		status      int
		code        string
	}{
		{"/api/v1/shipments", good, 503, "limiter_unavailable"},
		{"/api/v1/shipments", good, 503, "limiter_unavailable"},
		{"/api/v1/shipments", "", 401, "missing_token"},
		{"/api/v1/openapi.json", "", 200, ""},
	} {
		a := g.get(t, tt.path, newCaller(t), tt.token)
		if a.StatusCode != tt.status || tt.code != "" && a.problem(t)["code"] != tt.code {
			t.Errorf("%s with %q: %s %s", tt.path, tt.token, a.Status, a.body)
		}
		if a.Header.Get("X-RateLimit-Reset") == "" || (a.Header.Get("Retry-After") != "") != (tt.status == 503) {
			t.Errorf("%s with %q: %v", tt.path, tt.token, a.Header)
		}
	}
}
