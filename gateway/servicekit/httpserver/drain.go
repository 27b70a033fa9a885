package httpserver

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// lameDuck is the time in which a stopping program still accepts
// requests. Gateways check its readiness twice a second, and Kubernetes removes an
// address about as fast.
const lameDuck = 2 * time.Second

// readyPath is the path of readiness checks.
const readyPath = "/readyz"

// drainHandler serves readiness checks on the listener of requests: GET /readyz is
// 200 while the program is ready, otherwise 503. While the program drains, it is 503
// on every listener, and every response closes its connection.
type drainHandler struct {
	next     http.Handler
	ready    func(context.Context) error // nil: next serves /readyz
	draining atomic.Bool
}

// ServeHTTP implements http.Handler.
func (p *drainHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	draining := p.draining.Load()
	if draining {
		w.Header().Set("Connection", "close")
	}
	if r.URL.Path != readyPath || p.ready == nil && !draining {
		p.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	case draining || p.ready(r.Context()) != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
