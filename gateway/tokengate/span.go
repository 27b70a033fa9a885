package tokengate

import (
	"context"
	"net/http"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/redact"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

// traces send the spans of the process, the last of them when it exits.
var traces = sync.OnceValues(func() (tracing.Traces, error) {
	started, err := tracing.Start(context.Background(), "gateway", outage.New("sending traces").Note)
	caddy.OnExit(started.Close)
	return started, err
})

// begin begins the trace of r. A trace is always the gateway's own, so that clients cannot decide what is recorded or
// add to it; a trace that the client names becomes a link.
func (g *Gate) begin(r *http.Request) (*http.Request, trace.Span) {
	if g.tracer == nil {
		return r, nil
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer)}
	if outside := tracing.Extract(r.Context(), r.Header); outside.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: outside.WithTraceState(trace.TraceState{})}))
	}
	ctx, span := g.tracer.Start(r.Context(), metrics.Method(r.Method), options...)
	return r.WithContext(ctx), span
}

// describe sets the attributes of out's span: those of the access log except the client's address.
func describe(out *responseWriter) {
	if !out.span.IsRecording() {
		return
	}
	out.span.SetAttributes(
		attribute.String("http.request.method", metrics.Method(out.method)),
		attribute.String("url.path", redact.Path(out.path)),
		attribute.Int("http.response.status_code", out.status),
		attribute.String("quayside.request_id", out.requestID),
	)
	if out.token != nil {
		out.span.SetAttributes(
			attribute.String("quayside.token_id", out.token.TokenID),
			attribute.String("quayside.organization_id", out.token.OrganizationID),
		)
	}
	if out.status >= http.StatusInternalServerError {
		out.span.SetStatus(codes.Error, out.failure)
	}
}
