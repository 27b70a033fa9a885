// Package servicekit runs a service behind the gateway. Its subpackages are the
// parts, which can be used alone. The example is a whole service.
package servicekit

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// Service is a program with two listeners: one for requests through the gateway,
// and an inner one for health checks and metrics. A third one is for what only
// other programs of the product may request.
type Service struct {
	Name          string // the audience of the gateway's assertions, such as "shipments-svc"
	ListenAddress string
	InnerAddress  string
	GatewayKeys   assertion.Keys
	GatewayIssuer string
	Debug         bool // serve profiles on the inner listener
	Log           *slog.Logger
	Metrics       *metrics.Metrics
	Tracer        trace.Tracer // nil: no spans

	// Public returns the handler of requests through the gateway: one that Guard
	// of the verifier protects.
	Public func(*assertion.Verifier) http.Handler
	// Internal is the handler of the third listener, at InternalAddress; nil: there is
	// none.
	Internal        http.Handler
	InternalAddress string
	Ready           func(context.Context) error // nil: always
	Drain           func()                      // called when a shutdown begins; nil: nothing
}

// Run serves until ctx ends and the requests in flight are finished.
func Run(ctx context.Context, s Service) error {
	// It is never written to, so it takes no memory, but counts as heap: that of a service is so small that it would be
	// collected many times a second. A higher GOGC would multiply what large requests take.
	defer runtime.KeepAlive(make([]byte, 16<<20))
	verifier := assertion.NewVerifier(s.Name, s.GatewayIssuer, s.GatewayKeys, time.Now)
	defer verifier.Close()
	ready := s.Ready
	if ready == nil {
		ready = func(context.Context) error { return nil }
	}
	inner := httpserver.NewInner(s.Metrics, ready)
	if s.Debug {
		inner.HandleDebug()
	}
	instrumented := func(next http.Handler) http.Handler {
		return httpserver.Instrument(s.Metrics.ObserveRequest, s.Tracer, next)
	}
	servers := []httpserver.Server{{Name: "public", Handler: instrumented(s.Public(verifier)), Ready: inner.Ready}}
	addresses := [][2]string{{"LISTEN_ADDRESS", s.ListenAddress}, {"INNER_ADDRESS", s.InnerAddress}}
	if s.Internal != nil {
		addresses = slices.Insert(addresses, 1, [2]string{"GATEWAYS_ADDRESS", s.InternalAddress})
		servers = append(servers, httpserver.Server{Name: "gateways", Handler: instrumented(s.Internal)})
	}
	servers = append(servers, httpserver.Server{Name: "inner", Handler: inner})
	for i, setting := range addresses {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", setting[1])
		if err != nil {
			for _, opened := range servers[:i] {
				_ = opened.Listener.Close()
			}
			return fmt.Errorf("%s: %w", setting[0], err)
		}
		servers[i].Listener = listener
	}
	return httpserver.Serve(ctx, s.Log, s.Drain, servers...)
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
