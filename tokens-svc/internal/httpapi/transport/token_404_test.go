package transport_test

import (
	"errors"
	"net/http"
	"testing"
)

func TestPublicListenerHasNoOtherRoutes(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, path := range []string{
		"/", "/api/v1", "/api/v1/token/", "/api/v1/tokenz", "/api/v1//token", "/internal/v1/introspect", "/livez", "/metrics",
	} {
		res := p.ask(t, http.MethodGet, path, org, "tok_000000000001", nil)
		if problem := wantProblem(t, res, http.StatusNotFound, "not_found"); problem.Instance != path {
			t.Errorf("%s: instance %s", path, problem.Instance)
		}
	}
}
