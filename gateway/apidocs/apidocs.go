// Package apidocs is the Caddy module http.handlers.api_docs: the pages for those who are not signed in, kept in the
// program. / says what the product is; /docs has the guides, which are Markdown files, the reference, which is made
// from the OpenAPI documents of the services, and a search over all of it; /problems explains the problem codes.
//
// It guarantees that the pages are served while no service is reachable, need no token and no script, set no cookie and
// load nothing from another host, which their content security policy enforces.
package apidocs

import (
	"net/http"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() { directive.Handle("api_docs", "reverse_proxy", serve) }

// routes are made by the first request: commands such as `gateway health` do not need them.
var routes = sync.OnceValue(func() *http.ServeMux {
	s, err := newSite()
	if err != nil {
		panic(err) // everything is part of the program
	}
	return s.mux
})

// serve serves the pages. A path that is not one of theirs is an error with status 404.
func serve(w http.ResponseWriter, r *http.Request) error {
	handler, pattern := routes().Handler(r)
	if pattern == "" {
		return caddyhttp.Error(http.StatusNotFound, nil)
	}
	handler.ServeHTTP(w, r)
	return nil
}
