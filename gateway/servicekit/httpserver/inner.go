package httpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// checkTimeout bounds a readiness check and the health command.
const checkTimeout = 2 * time.Second

// Inner is the handler of a program's inner listener, which only operators
// and other programs can reach: /livez, /readyz and /metrics.
type Inner struct {
	mux      *http.ServeMux
	ready    func(context.Context) error
	draining atomic.Bool
}

// NewInner returns the inner handler. ready says whether the program can do
// its work now; /readyz answers 503 with its error, and 503 while draining.
// /livez answers 200 for as long as the program runs.
func NewInner(metrics prometheus.Gatherer, ready func(context.Context) error) *Inner {
	in := &Inner{mux: http.NewServeMux(), ready: ready}
	in.mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	in.mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "ok")
	})
	in.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := in.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	return in
}

// Handle adds a route, in http.ServeMux's pattern syntax.
func (in *Inner) Handle(pattern string, h http.Handler) { in.mux.Handle(pattern, h) }

// Ready returns nil when the program can do its work and is not draining. It
// takes 2 s at most.
func (in *Inner) Ready(ctx context.Context) error {
	if in.draining.Load() {
		return errDraining
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return in.ready(ctx)
}

var errDraining = errors.New("draining")

// Drain makes /readyz answer 503, so that balancers send no more requests.
func (in *Inner) Drain() { in.draining.Store(true) }

// ServeHTTP implements http.Handler.
func (in *Inner) ServeHTTP(w http.ResponseWriter, r *http.Request) { in.mux.ServeHTTP(w, r) }

// Check asks the program whose inner listener is at address whether it lives.
// It is what a container's health check runs. A host that is empty or
// unspecified is asked on loopback.
func Check(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("inner address: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/livez", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("/livez answered %s", res.Status)
	}
	return nil
}
