// Package requestid gives every request an id: the gateway's, or a new one for a
// request that did not come through it.
package requestid

import (
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// Header carries the id, req_ and a public id's text.
const Header = "X-Request-ID"

// Ensure passes requests to next with a well-formed id in their header.
func Ensure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := publicid.Parse("req", Of(r)); !ok {
			r.Header.Set(Header, publicid.New("req"))
		}
		next.ServeHTTP(w, r)
	})
}

// Of returns the id of a request that passed Ensure.
func Of(r *http.Request) string { return r.Header.Get(Header) }
