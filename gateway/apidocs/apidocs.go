// Package apidocs is the Caddy module http.handlers.api_docs: the pages that document the API, kept in the program.
// /docs and /docs/tokens show the OpenAPI documents of the services, which stay with the services; /problems and
// /problems/{code} explain the problem codes of the product.
//
// It guarantees that the pages are served while no service is reachable, need no token, set no cookie and load nothing
// from another host, which their content security policy enforces.
package apidocs

import (
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() {
	caddy.RegisterModule(new(Handler))
	directive.Register[Handler]("api_docs", "reverse_proxy")
}

// Handler serves the documentation. It has no settings; a path that is not its own is an error with status 404.
type Handler struct{}

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.api_docs", New: func() caddy.Module { return new(Handler) }}
}

// routes are made once, at start.
var routes = func() *http.ServeMux {
	mux := http.NewServeMux()
	addDocuments(mux)
	addProblems(mux)
	return mux
}()

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (*Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	handler, pattern := routes.Handler(r)
	if pattern == "" {
		return caddyhttp.Error(http.StatusNotFound, nil)
	}
	handler.ServeHTTP(w, r)
	return nil
}

// kind has the headers that files of one kind share: Content-Type, Content-Security-Policy and Cache-Control.
type kind struct{ contentType, policy, cache string }

// setHeaders sets them.
func (k kind) setHeaders(h http.Header) {
	h.Set("Content-Type", k.contentType)
	h.Set("Content-Security-Policy", k.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", k.cache)
}

// file returns a handler that responds with content.
func (k kind) file(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		k.setHeaders(w.Header())
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // an error means that the client has disconnected
	}
}
