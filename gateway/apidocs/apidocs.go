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

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() {
	caddy.RegisterModule(new(Handler))
	directive.Register[Handler]("api_docs", "reverse_proxy")
}

// Handler serves the pages. It has no settings; a path that is not its own is an error with status 404.
type Handler struct{}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.api_docs", New: func() caddy.Module { return new(Handler) }}
}

// routes are made by the first request: commands such as `gateway health` do not need them.
var routes = sync.OnceValue(func() *http.ServeMux {
	s, err := newSite()
	if err != nil {
		panic(err) // everything is part of the program
	}
	return s.mux
})

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (*Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	handler, pattern := routes().Handler(r)
	if pattern == "" {
		return caddyhttp.Error(http.StatusNotFound, nil)
	}
	handler.ServeHTTP(w, r)
	return nil
}
