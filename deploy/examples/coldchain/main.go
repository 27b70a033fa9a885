// Coldchain keeps the last temperature of each of the latest shipments, in memory: the smallest service behind the
// gateway.
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// temperatures are the last bodies, by organization and path: at most 16 MiB of them.
var temperatures = otter.Must(&otter.Options[string, []byte]{
	MaximumWeight: 16 << 20,
	Weigher:       func(key string, body []byte) uint32 { return uint32(len(key) + len(body)) },
})

func get(w http.ResponseWriter, r *http.Request, id assertion.Identity) {
	body, ok := temperatures.GetIfPresent(id.Organization + r.URL.Path)
	if !ok {
		body = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) //nolint:gosec // G705: it is JSON, and says so
}

func put(w http.ResponseWriter, r *http.Request, id assertion.Identity) {
	body, err := io.ReadAll(r.Body) // the gateway bounds it
	if err != nil || !json.Valid(body) {
		problem.New(http.StatusBadRequest, "invalid_json", "Invalid JSON", "the body must be JSON").Write(w, r)
		return
	}
	temperatures.Set(id.Organization+r.URL.Path, body)
	get(w, r, id)
}

func routes() (http.Handler, error) {
	routes := problem.NewRoutes()
	routes.Handle("GET /api/v1/shipments/{id}/temperature", servicekit.Require("temperatures:read", get))
	routes.Handle("PUT /api/v1/shipments/{id}/temperature", servicekit.Require("temperatures:write", put))
	return routes, addPages(routes)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	keys, err := assertion.ParseKeys(os.Getenv("GATEWAY_PUBLIC_KEYS"))
	if err != nil {
		log.Fatal(err)
	}
	routes, err := routes()
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.Default()
	err = servicekit.Run(ctx, servicekit.Service{
		Name: "coldchain", ListenAddress: os.Getenv("LISTEN_ADDRESS"), InnerAddress: os.Getenv("INNER_ADDRESS"),
		GatewayKeys: keys, GatewayIssuer: assertion.DefaultIssuer,
		Log: logger, Metrics: metrics.New("coldchain"),
		Public: func(v *assertion.Verifier) http.Handler { return v.Guard(logger, servicekit.Logged(logger, routes)) },
	})
	if err != nil {
		log.Fatal(err)
	}
}
