package requestid

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

func TestEnsureKeepsWellFormedIDsOnly(t *testing.T) {
	t.Parallel()
	given := publicid.New("req")
	for sent, kept := range map[string]bool{
		given: true, "": false, "req_1": false, given + "\n": false,
		publicid.New("org"): false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set(Header, sent)
		Ensure(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if _, ok := publicid.Parse("req", Of(r)); !ok || (Of(r) == sent) != kept {
				t.Errorf("%q became %q", sent, Of(r))
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}
