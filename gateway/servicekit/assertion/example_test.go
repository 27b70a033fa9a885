package assertion_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
)

// A request that did not come through the gateway has no identity, whatever headers it has.
func ExampleVerifier_Guard() {
	keys, err := assertion.ParseKeys(`-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----`)
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier := assertion.NewVerifier("things", assertion.DefaultIssuer, keys, time.Now)
	defer verifier.Close()
	handler := verifier.Guard(slog.New(slog.DiscardHandler),
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := assertion.FromHeader(r.Header)
			fmt.Println(err)
		}))

	r := httptest.NewRequest(http.MethodGet, "/things", http.NoBody)
	r.Header.Set(assertion.HeaderOrganization, "org_01k9x3v7t2e8sbq4m6n0pacdfh")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: the request has no identity: it did not come through the gateway
}
