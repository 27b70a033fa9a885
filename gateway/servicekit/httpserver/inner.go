package httpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	_ "net/http/pprof" //nolint:gosec // G108: only HandleDebug serves it
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// checkTimeout bounds a readiness check and Check.
const checkTimeout = 2 * time.Second

// Inner is the handler of a program's internal listener, which is not published:
// /livez, /readyz and /metrics, and with HandleDebug profiles.
type Inner struct {
	*http.ServeMux

	ready func(context.Context) error
}

// NewInner returns the internal handler. /readyz is 200 while ready returns nil,
// otherwise 503 with its error; /livez is 200 while the program runs.
func NewInner(metrics prometheus.Gatherer, ready func(context.Context) error) *Inner {
	in := &Inner{http.NewServeMux(), ready}
	in.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	in.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "ok")
	})
	in.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := in.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	return in
}

// HandleDebug adds the profiles of net/http/pprof at /debug/pprof/. Anyone who reaches them can make the program slow.
func (in *Inner) HandleDebug() {
	in.Handle("GET /debug/pprof/", http.DefaultServeMux) // where net/http/pprof has them
}

// Ready returns nil if the program is ready, within 2 s.
func (in *Inner) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return in.ready(ctx)
}

// maxReason is how much of the body of /readyz Check shows, in bytes.
const maxReason = 1 << 10

// Check returns nil if /readyz of the internal listener at address is 200. It is the
// health check of a container. An empty or unspecified host means loopback.
func Check(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("internal address: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+readyPath, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(res.Body, maxReason))
		return fmt.Errorf("%s returned %s: %s", readyPath, res.Status, bytes.TrimSpace(reason))
	}
	return nil
}
