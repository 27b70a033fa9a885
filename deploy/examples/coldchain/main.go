// Coldchain keeps the last temperature of each of the latest shipments, in memory: the smallest service behind the
// gateway.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// temperatures are the last bodies, by organization and path: at most 16 MiB of them.
var temperatures = otter.Must(&otter.Options[string, []byte]{
	MaximumWeight: 16 << 20,
	Weigher:       func(key string, body []byte) uint32 { return uint32(len(key) + len(body)) },
})

func handle(w http.ResponseWriter, r *http.Request) {
	id, err := assertion.FromHeader(r.Header)
	needs := "temperatures:read"
	if r.Method == http.MethodPut {
		needs = "temperatures:write"
	}
	if err != nil || !slices.Contains(id.Permissions, needs) {
		refuse(w, r, http.StatusForbidden, "insufficient_permission", "Insufficient permission", "This needs "+needs+".")
		return
	}
	key := id.Organization + r.URL.Path
	if r.Method == http.MethodPut {
		body, err := io.ReadAll(r.Body) // the gateway bounds it
		if err != nil || !json.Valid(body) {
			refuse(w, r, http.StatusBadRequest, "invalid_json", "Invalid JSON", "The body must be JSON.")
			return
		}
		temperatures.Set(key, body)
	}
	body, ok := temperatures.GetIfPresent(key)
	if !ok {
		body = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) //nolint:gosec // G705: it is JSON, and says so
}

func refuse(w http.ResponseWriter, r *http.Request, status int, code, title, detail string) {
	p := problem.New(status, code, title, detail)
	p.RequestID = requestid.Of(r)
	_ = p.Write(w, r)
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
	routes := problem.NewRoutes()
	routes.HandleFunc("GET /api/v1/shipments/{id}/temperature", handle)
	routes.HandleFunc("PUT /api/v1/shipments/{id}/temperature", handle)
	guarded := assertion.NewVerifier("coldchain", assertion.DefaultIssuer, keys, time.Now).
		Guard(slog.Default(), routes)
	broken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	attrs := func(r *http.Request) []slog.Attr { return []slog.Attr{slog.String("request_id", requestid.Of(r))} }
	handler := httpserver.Instrument(counted, nil, requestid.Ensure(httpserver.AccessLog(slog.Default(), attrs, broken, guarded)))
	inner := httpserver.NewInner(counted, func(context.Context) error { return nil })
	log.Fatal(httpserver.Serve(ctx, slog.Default(), inner.Drain,
		httpserver.Server{Name: "public", Listener: public, Handler: handler, Ready: inner.Ready},
		httpserver.Server{Name: "internal", Listener: internal, Handler: inner}))
}
