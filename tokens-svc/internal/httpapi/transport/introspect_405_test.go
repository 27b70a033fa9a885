package transport_test

import (
	"errors"
	"net/http"
	"testing"
)

// TestOnlyPostIntrospects: RFC 7662 wants tokens kept out of addresses.
func TestOnlyPostIntrospects(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		res := p.introspect(t, "token=x", func(r *http.Request) { r.Method = method })
		wantProblem(t, res, http.StatusMethodNotAllowed, "method_not_allowed")
		if got := res.Header().Get("Allow"); got != http.MethodPost {
			t.Errorf("%s: Allow: %s", method, got)
		}
	}
}

func TestInnerListenerHasNoOtherRoutes(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, path := range []string{
		"/internal/", "/internal/v1/introspect/",
		"/internal/v1//introspect", "/internal/v2/introspect",
	} {
		res := p.introspect(t, "token=x", func(r *http.Request) { r.URL.Path = path })
		wantProblem(t, res, http.StatusNotFound, "not_found")
	}
}
