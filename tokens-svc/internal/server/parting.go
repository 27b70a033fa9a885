package server

import (
	"net/http"
	"sync/atomic"
	"time"
)

// partingTime is how long a program that was told to stop goes on to take
// requests. Gateways ask once a second at the least whether they may send
// more, and in Kubernetes an address is taken out about as fast.
const partingTime = 2 * time.Second

// parting is a handler that tells others when its program is about to end, so
// that they stop sending requests before it stops taking them.
//
// It answers OPTIONS *, which RFC 9110, section 9.3.7, has for asking a server
// how it is: 200, and 503 once the end is near. From then on every answer also
// asks the other side to close the connection.
type parting struct {
	next http.Handler
	near atomic.Bool
}

// ServeHTTP implements http.Handler.
func (p *parting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	near := p.near.Load()
	if near {
		w.Header().Set("Connection", "close")
	}
	switch {
	case r.Method != http.MethodOptions || r.RequestURI != "*":
		p.next.ServeHTTP(w, r)
	case near:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
