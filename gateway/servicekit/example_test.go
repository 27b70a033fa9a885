package servicekit_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// run is a whole service: it verifies the gateway's assertions, responds with
// problems, serves health and metrics on an internal listener, and drains.
func run(ctx context.Context, publicKeys, address, internalAddress string, stderr io.Writer) error {
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	keys, err := assertion.ParseKeys(publicKeys)
	if err != nil {
		return fmt.Errorf("GATEWAY_PUBLIC_KEYS: %w", err)
	}
	greet := func(word string) func(http.ResponseWriter, *http.Request, assertion.Identity) {
		return func(w http.ResponseWriter, _ *http.Request, id assertion.Identity) {
			_, _ = fmt.Fprintln(w, word, id.Organization)
		}
	}
	routes := problem.NewRoutes()
	routes.Handle("GET /api/v1/hello", servicekit.Require("hello:read", greet("hello")))
	routes.Handle("GET /api/v1/farewell", servicekit.Require("farewell:write", greet("farewell")))
	return servicekit.Run(ctx, servicekit.Service{
		Name: "hello-svc", ListenAddress: address, InnerAddress: internalAddress,
		GatewayKeys: keys, GatewayIssuer: assertion.DefaultIssuer,
		Log: log, Metrics: metrics.New("hello"),
		Public: func(v *assertion.Verifier) http.Handler { return v.Guard(log, servicekit.Logged(log, routes)) },
	})
}

func Example() {
	ctx, stop := context.WithCancel(context.Background()) // in a program: signal.NotifyContext
	stop()
	if err := run(ctx, os.Getenv("GATEWAY_PUBLIC_KEYS"), "127.0.0.1:0", "127.0.0.1:0", io.Discard); err != nil {
		fmt.Println(err)
	}
	fmt.Println("drained")
	// Output: drained
}
