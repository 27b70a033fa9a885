package problem

import (
	"net/http"
	"path"
	"strings"
)

// Routes is an http.ServeMux that refuses with a problem what ServeMux refuses in
// plain text: 404 for a path without a route, and 405 with Allow for a method that
// its path does not have. A path that is not in its canonical form (//, /../) is 404
// and not redirected, because a redirect would turn a POST into a GET.
type Routes struct {
	mux    *http.ServeMux
	refuse func(http.ResponseWriter, *http.Request, Problem)
}

// NewRoutes returns Routes without a route, which refuses in problem+json.
func NewRoutes() *Routes {
	return NewRoutesRefusing(func(w http.ResponseWriter, r *http.Request, p Problem) { p.Write(w, r) })
}

// NewRoutesRefusing returns Routes without a route, which refuses by a function, such as with a page.
func NewRoutesRefusing(refuse func(http.ResponseWriter, *http.Request, Problem)) *Routes {
	return &Routes{mux: http.NewServeMux(), refuse: refuse}
}

// Handle adds a route, in http.ServeMux's pattern syntax: a method and a path.
func (rt *Routes) Handle(pattern string, h http.Handler) { rt.mux.Handle(pattern, h) }

// HandleFunc is Handle for a function.
func (rt *Routes) HandleFunc(pattern string, h http.HandlerFunc) { rt.Handle(pattern, h) }

// ServeHTTP implements http.Handler.
func (rt *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, pattern := rt.mux.Handler(r)
	if pattern != "" && canonical(r.URL.Path) {
		rt.mux.ServeHTTP(w, r) // not handler: ServeMux sets the path values
		return
	}
	p := New(http.StatusNotFound, "not_found", "Not found", "there is nothing at this path")
	if pattern == "" {
		probe := probe{header: http.Header{}}
		handler.ServeHTTP(&probe, r)
		if probe.status == http.StatusMethodNotAllowed {
			allow := probe.header.Get("Allow")
			w.Header().Set("Allow", allow)
			p = New(http.StatusMethodNotAllowed, "method_not_allowed", "Method not allowed",
				r.Method+" is not allowed here; allowed: "+allow)
		}
	}
	rt.refuse(w, r, p)
}

func canonical(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/" && !strings.HasSuffix(clean, "/")
}

// probe records the status and headers of a handler and discards its body.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) WriteHeader(status int)      { p.status = status }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
