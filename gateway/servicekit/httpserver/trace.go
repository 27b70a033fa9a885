package httpserver

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Observe is called with each request that was answered, such as by metrics.Metrics.
type Observe func(route, method string, status int, took time.Duration)

type observeKey struct{}

// measure calls the function that Instrument was given.
func measure(r *http.Request, status int, took time.Duration) {
	if observe, _ := r.Context().Value(observeKey{}).(Observe); observe != nil {
		route := r.Pattern[strings.IndexByte(r.Pattern, ' ')+1:] // without the method
		observe(route, r.Method, status, took)
	}
}

// Instrument makes AccessLog, further in, report each request to observe and in a span
// of the trace that the traceparent header continues (W3C Trace Context). Either
// may be nil.
func Instrument(observe Observe, tracer trace.Tracer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), observeKey{}, observe)
		if tracer != nil {
			ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
			var span trace.Span
			ctx, span = tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
			defer span.End()
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// describe sets the attributes of the span of r, if it has one: those of the log
// line, but neither path nor error, which may hold secrets sent by mistake.
func describe(ctx context.Context, r *http.Request, status int, identity []slog.Attr) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	if r.Pattern != "" {
		span.SetName(r.Pattern)
		span.SetAttributes(attribute.String("http.route", r.Pattern))
	}
	span.SetAttributes(attribute.Int("http.response.status_code", status))
	for _, a := range identity {
		span.SetAttributes(attribute.String("quayside."+a.Key, a.Value.String()))
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}
