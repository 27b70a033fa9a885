package problem

import (
	"net/http"
	"path"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
)

// Mux serves mux, and answers in problem+json what mux itself would answer in
// plain text: 404 for a path without a route, and 405 with Allow for a method that
// its path does not have. A path that is not in its canonical form (//, /../) is
// 404 and not redirected, because a redirect would turn a POST into a GET.
func Mux(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, pattern := mux.Handler(r)
		if pattern != "" && canonical(r.URL.Path) {
			mux.ServeHTTP(w, r) // not handler: ServeMux sets the path values
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
		p.RequestID = requestid.Of(r)
		_ = p.Write(w, r) // it fails if the client is gone
	})
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
