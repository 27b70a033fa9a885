package servicekit_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/logging"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// run is a whole service: it verifies the gateway's assertions, responds with
// problems, serves health and metrics on an internal listener, and drains.
func run(ctx context.Context, publicKeys, address, internalAddress string, stderr io.Writer) error {
	lines := logging.NewBuffer(stderr)
	defer lines.Close()
	log := slog.New(slog.NewJSONHandler(lines, nil))
	keys, err := assertion.ParseKeys(publicKeys)
	if err != nil {
		return fmt.Errorf("GATEWAY_PUBLIC_KEYS: %w", err)
	}
	verifier := assertion.NewVerifier("hello-svc", assertion.DefaultIssuer, keys, time.Now)
	defer verifier.Close()

	mux := problem.NewRoutes()
	mux.HandleFunc("GET /api/v1/hello", func(w http.ResponseWriter, r *http.Request) {
		id, err := assertion.FromHeader(r.Header)
		if err != nil {
			p := problem.New(http.StatusUnauthorized, "missing_identity", "Missing identity", err.Error())
			p.RequestID = requestid.Of(r)
			_ = p.Write(w, r)
			return
		}
		_, _ = fmt.Fprintln(w, "hello", id.Organization)
	})
	broken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }
	attrs := func(r *http.Request) []slog.Attr { return []slog.Attr{slog.String("request_id", requestid.Of(r))} }
	counted := metrics.New("hello", lines.Dropped)
	handler := httpserver.Instrument(counted, nil, verifier.Guard(log,
		requestid.Ensure(httpserver.AccessLog(log, attrs, broken, mux))))

	public, err := httpserver.Listen(ctx, address)
	if err != nil {
		return err
	}
	internal, err := httpserver.Listen(ctx, internalAddress)
	if err != nil {
		return err
	}
	inner := httpserver.NewInner(counted, func(context.Context) error { return nil })
	return httpserver.Serve(ctx, log, inner.Drain,
		httpserver.Server{Name: "public", Listener: public, Handler: handler, Ready: inner.Ready},
		httpserver.Server{Name: "internal", Listener: internal, Handler: inner})
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
