package transport_test

import (
	"errors"
	"net/http"
	"testing"
)

// TestGatewayCredentialIsRequired, also by otherwise invalid requests.
func TestGatewayCredentialIsRequired(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for name, change := range map[string]func(http.Header){
		"none":           func(h http.Header) { h.Del("Authorization") },
		"empty":          func(h http.Header) { h.Set("Authorization", "Bearer ") },
		"another":        func(h http.Header) { h.Set("Authorization", "Bearer "+gatewayCredential+"x") },
		"cut off":        func(h http.Header) { h.Set("Authorization", "Bearer "+gatewayCredential[:20]) },
		"the whole list": func(h http.Header) { h.Set("Authorization", "Bearer "+gatewayCredential+","+olderCredential) },
		"another scheme": func(h http.Header) { h.Set("Authorization", "Basic "+gatewayCredential) },
		"no scheme":      func(h http.Header) { h.Set("Authorization", gatewayCredential) },
		"twice":          func(h http.Header) { h.Add("Authorization", "Bearer "+gatewayCredential) },
		"and no form":    func(h http.Header) { h.Del("Authorization"); h.Del("Content-Type") },
	} {
		res := p.introspect(t, "token=x", func(r *http.Request) { change(r.Header) })
		wantProblem(t, res, http.StatusUnauthorized, "invalid_credential")
		if got := res.Header().Get("WWW-Authenticate"); got != `Bearer realm="gateways"` {
			t.Errorf("%s: WWW-Authenticate: %s", name, got)
		}
		if got := res.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control: %s", name, got)
		}
	}
	if n := p.log.count(t, "WARN", "request without a valid gateway credential"); n != 9 {
		t.Errorf("%d of 9 refusals are in the log", n)
	}
}
