// Coldchain keeps the last temperature of each shipment, in memory: the smallest service behind the gateway.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/metrics"
	"github.com/quayside/quayside/gateway/servicekit/problem"
)

var temperatures sync.Map // the last body, by organization and path

func handle(w http.ResponseWriter, r *http.Request) {
	id, err := assertion.FromHeader(r.Header)
	if needs := "temperatures:" + map[string]string{http.MethodGet: "read", http.MethodPut: "write"}[r.Method]; err != nil || !slices.Contains(id.Permissions, needs) {
		_ = problem.New(http.StatusForbidden, "insufficient_permission", "Insufficient permission", "This needs "+needs+".").Write(w, r)
		return
	}
	if r.Method == http.MethodPut {
		body, _ := io.ReadAll(r.Body) // the gateway bounds it
		temperatures.Store(id.Organization+r.URL.Path, body)
	}
	w.Header().Set("Content-Type", "application/json")
	body, _ := temperatures.LoadOrStore(id.Organization+r.URL.Path, []byte("{}"))
	_, _ = w.Write(body.([]byte))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	keys, err := assertion.ParseKeys(os.Getenv("GATEWAY_PUBLIC_KEYS"))
	public, publicErr := httpserver.Listen(ctx, os.Getenv("LISTEN_ADDRESS"))
	internal, internalErr := httpserver.Listen(ctx, os.Getenv("INNER_ADDRESS"))
	if err := errors.Join(err, publicErr, internalErr); err != nil {
		log.Fatal(err)
	}
	counted := metrics.New("coldchain", func() int64 { return 0 })
	http.HandleFunc("GET /api/v1/shipments/{id}/temperature", handle)
	http.HandleFunc("PUT /api/v1/shipments/{id}/temperature", handle)
	guarded := assertion.NewVerifier("coldchain", keys, time.Now).Guard(slog.Default(), problem.Mux(http.DefaultServeMux))
	broken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	handler := httpserver.Instrument(counted, nil, httpserver.AccessLog(slog.Default(), func(*http.Request) []slog.Attr { return nil }, broken, guarded))
	inner := httpserver.NewInner(counted, func(context.Context) error { return nil })
	log.Fatal(httpserver.Serve(ctx, slog.Default(), inner.Drain,
		httpserver.Server{Name: "public", Listener: public, Handler: handler, Ready: inner.Ready},
		httpserver.Server{Name: "internal", Listener: internal, Handler: inner}))
}
