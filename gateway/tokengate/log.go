package tokengate

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/redact"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

// accessLog names the gate's logger: it has the name of Caddy's access log, so that configurations apply to both.
// The gate writes its own because Caddy's begins with a copy of every header, most of which then have to be
// removed again, and costs a sixth of a proxied request.
type accessLog struct{}

// CaddyModule implements caddy.Module.
func (accessLog) CaddyModule() caddy.ModuleInfo { return caddy.ModuleInfo{ID: "http.log.access"} }

// accessLine is the line of one request in the access log. Of what a client wrote it contains the path only, and of
// that nothing that could be a secret.
type accessLine exchange

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (l *accessLine) MarshalLogObject(line zapcore.ObjectEncoder) error {
	line.AddString("request_id", l.id)
	line.AddString("method", metrics.Method(l.method))
	line.AddString("path", redact.Path(l.path))
	line.AddInt("status", l.status)
	line.AddInt64("bytes", l.bytes)
	line.AddFloat64("seconds", time.Since(l.began).Seconds())
	line.AddString("client", l.client)
	switch {
	case !l.admitted:
	case l.token != nil:
		line.AddString("token_id", l.token.TokenID)
		line.AddString("organization_id", l.token.OrganizationID)
	case l.session != nil:
		line.AddString("user_id", l.session.UserID)
		line.AddString("organization_id", l.session.OrganizationID)
	}
	if l.span != nil {
		if traced := l.span.SpanContext(); traced.IsSampled() {
			line.AddString("trace_id", traced.TraceID().String())
			line.AddString("span_id", traced.SpanID().String())
		}
	}
	switch {
	case l.failure != "":
		line.AddString("error", l.failure)
	case !l.whole:
		line.AddString("error", "the answer broke off")
	}
	return nil
}

// note writes the line of a completed request, counts it and ends its span.
func (x *exchange) note() {
	class := statusClasses[min(x.status/100, 6)]
	kind, ok := x.vars[kindVar].(string)
	if !ok {
		kind = defaultKind
	}
	responseSeconds.WithLabelValues(class, kind).Observe(time.Since(x.began).Seconds())
	level := zapcore.InfoLevel
	if x.status >= http.StatusInternalServerError {
		level = zapcore.ErrorLevel
	}
	if entry := x.gate.access.Check(level, "handled request"); entry != nil {
		entry.Write(zap.Inline((*accessLine)(x)))
	}
	if x.span != nil {
		x.describe()
		x.span.End()
	}
}

// traces send the spans of the process, the last of them when it exits.
var traces = sync.OnceValues(func() (tracing.Traces, error) {
	started, err := tracing.Start(context.Background(), "gateway", outage.New(gatelog.Slog, "sending traces").Note)
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

// describe sets the attributes of the span: those of the access log except the client's address.
func (x *exchange) describe() {
	if !x.span.IsRecording() {
		return
	}
	x.span.SetAttributes(
		attribute.String("http.request.method", metrics.Method(x.method)),
		attribute.String("url.path", redact.Path(x.path)),
		attribute.Int("http.response.status_code", x.status),
		attribute.String("token_gate.request_id", x.id),
	)
	if x.admitted && x.token != nil {
		x.span.SetAttributes(
			attribute.String("token_gate.token_id", x.token.TokenID),
			attribute.String("token_gate.organization_id", x.token.OrganizationID),
		)
	}
	if x.status >= http.StatusInternalServerError {
		x.span.SetStatus(codes.Error, x.failure)
	}
}
