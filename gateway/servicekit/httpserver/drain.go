package httpserver

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// partingTime is how long a program goes on to take requests after it was told
// to stop. Gateways check its readiness twice a second, and in Kubernetes an
// address is taken out about as fast.
const partingTime = 2 * time.Second

// readyPath is where a server says whether requests should be sent to it.
const readyPath = "/readyz"

// parting is a handler that answers the health checks of load balancers on the
// listener that their requests go to: GET /readyz is 200 while the program is
// ready, otherwise 503, and 503 once it is about to stop. From then on every
// response also asks the client to close the connection.
type parting struct {
	next  http.Handler
	ready func(context.Context) error // nil: the server has no /readyz of its own
	near  atomic.Bool
}

// ServeHTTP implements http.Handler.
func (p *parting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	near := p.near.Load()
	if near {
		w.Header().Set("Connection", "close")
	}
	if p.ready == nil || r.URL.Path != readyPath {
		p.next.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	case near || p.ready(r.Context()) != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
