package transport_test

import (
	"errors"
	"net/http"
	"testing"
)

func TestATokenIsReadOrEnded(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch} {
		res := p.ask(t, method, "/api/v1/token", org, "tok_000000000001", nil)
		wantProblem(t, res, http.StatusMethodNotAllowed, "method_not_allowed")
		if got := res.Header().Get("Allow"); got != "DELETE, GET, HEAD" {
			t.Errorf("%s: Allow: %s", method, got)
		}
	}
}
