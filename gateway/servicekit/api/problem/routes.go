package problem

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// Routes is an http.ServeMux that answers in problem+json what ServeMux answers in
// plain text: 404 for a path without a route, with the nearest one that has, and
// 405 with Allow for a method that its path does not have. A path that is not in
// its canonical form (//, /../) is 404 and not redirected, because a redirect
// would turn a POST into a GET.
type Routes struct {
	mux   *http.ServeMux
	paths []string // of the routes, with their wildcards
}

// NewRoutes returns Routes without a route.
func NewRoutes() *Routes { return &Routes{mux: http.NewServeMux()} }

// Handle adds a route, in http.ServeMux's pattern syntax: a method and a path.
func (rt *Routes) Handle(pattern string, h http.Handler) {
	rt.mux.Handle(pattern, h)
	_, route, _ := strings.Cut(pattern, " ")
	rt.paths = append(rt.paths, route)
}

// HandleFunc is Handle for a function.
func (rt *Routes) HandleFunc(pattern string, h http.HandlerFunc) { rt.Handle(pattern, h) }

// ServeHTTP implements http.Handler.
func (rt *Routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, pattern := rt.mux.Handler(r)
	if pattern != "" && canonical(r.URL.Path) {
		rt.mux.ServeHTTP(w, r) // not handler: ServeMux sets the path values
		return
	}
	p := New(http.StatusNotFound, "not_found", "Not found", "there is nothing at this path"+rt.hint(r.URL.Path))
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
	p.RequestID = requestid.Of(r)
	_ = p.Write(w, r) // it fails if the client is gone
}

// hint names the path that was probably meant: that of the route with the same
// number of segments that differ least.
func (rt *Routes) hint(asked string) (hint string) {
	segments, fewest := strings.Split(path.Clean(asked), "/"), -1
	for _, route := range rt.paths {
		meant, differ := strings.Split(route, "/"), 0
		if len(meant) != len(segments) {
			continue
		}
		for i, segment := range meant {
			switch {
			case strings.HasPrefix(segment, "{"):
				meant[i] = segments[i]
			case segment != segments[i]:
				differ++
				if spelling.Nearest(segments[i], meant[i:i+1]) == "" {
					differ = len(meant) // it is another route
				}
			}
		}
		if differ < len(meant) && (fewest < 0 || differ < fewest) {
			fewest = differ
			hint = "; did you mean " + (&url.URL{Path: strings.Join(meant, "/")}).EscapedPath() + "?"
		}
	}
	return hint
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
