package requestid_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
)

func Example() {
	handler := requestid.Ensure(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(requestid.Of(r))
	}))
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.Header.Set(requestid.Header, "req_01k9x3v7t2e8sbq4m6n0pacdfh")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: req_01k9x3v7t2e8sbq4m6n0pacdfh
}
