// Package servicekit runs a service behind the gateway. Its subpackages are the
// parts, which can be used alone. The example is a whole service.
package servicekit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// Service is a program with two listeners: one for requests through the gateway,
// and an internal one for health checks and metrics.
type Service struct {
	Name          string // the audience of the gateway's assertions, such as "shipments-svc"
	ListenAddress string
	InnerAddress  string
	GatewayKeys   assertion.Keys
	GatewayIssuer string
	Debug         bool // serve profiles on the internal listener
	Log           *slog.Logger
	Metrics       *metrics.Metrics
	Tracer        trace.Tracer // nil: no spans

	// Public returns the handler of requests through the gateway: one that Guard
	// of the verifier protects.
	Public func(*assertion.Verifier) http.Handler
	// Internal are further routes of the internal listener, by pattern.
	Internal map[string]http.Handler
	Ready    func(context.Context) error // nil: always
	Drain    func()                      // called when a shutdown begins; nil: nothing
}

// Run serves until ctx ends and the requests in flight are finished.
func Run(ctx context.Context, s Service) error {
	verifier := assertion.NewVerifier(s.Name, s.GatewayIssuer, s.GatewayKeys, time.Now)
	defer verifier.Close()
	ready := s.Ready
	if ready == nil {
		ready = func(context.Context) error { return nil }
	}
	inner := httpserver.NewInner(s.Metrics, ready)
	for pattern, handler := range s.Internal {
		inner.Handle(pattern, httpserver.Instrument(s.Metrics.ObserveRequest, s.Tracer, handler))
	}
	if s.Debug {
		inner.HandleDebug()
	}
	public, err := new(net.ListenConfig).Listen(ctx, "tcp", s.ListenAddress)
	if err != nil {
		return fmt.Errorf("LISTEN_ADDRESS: %w", err)
	}
	internal, err := new(net.ListenConfig).Listen(ctx, "tcp", s.InnerAddress)
	if err != nil {
		return errors.Join(fmt.Errorf("INNER_ADDRESS: %w", err), public.Close())
	}
	handler := httpserver.Instrument(s.Metrics.ObserveRequest, s.Tracer, s.Public(verifier))
	return httpserver.Serve(ctx, s.Log, s.Drain,
		httpserver.Server{Name: "public", Listener: public, Handler: handler, Ready: inner.Ready},
		httpserver.Server{Name: "inner", Listener: internal, Handler: inner})
}

// Require serves the requests of tokens that have a permission. Others get 401 or
// 403, before next or anything of the request's body is read.
func Require(
	permission string, next func(http.ResponseWriter, *http.Request, assertion.Identity),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := assertion.FromHeader(r.Header)
		if err != nil {
			problem.New(http.StatusUnauthorized, "missing_identity", "Missing identity", err.Error()).Write(w, r)
			return
		}
		if err := assertion.Require(permission, id.Permissions); err != nil {
			problem.New(http.StatusForbidden, "insufficient_permission", "Insufficient permission",
				err.Error()).Write(w, r)
			return
		}
		next(w, r, id)
	})
}

// Logged serves next with a request id, one log line for each request, and a
// problem in the place of a panic.
func Logged(log *slog.Logger, next http.Handler) http.Handler {
	attrs := func(r *http.Request) []slog.Attr {
		return []slog.Attr{
			slog.String("request_id", requestid.Of(r)),
			slog.String("organization_id", r.Header.Get(assertion.HeaderOrganization)),
			slog.String("token_id", r.Header.Get(assertion.HeaderToken)),
		}
	}
	broken := problem.New(http.StatusInternalServerError, "internal_error", "Internal error",
		"an unexpected error occurred; it is logged under the request_id")
	return requestid.Ensure(httpserver.AccessLog(log, attrs, broken.Write, next))
}
