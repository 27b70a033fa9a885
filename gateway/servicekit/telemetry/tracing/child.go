package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// w3c propagates traces in traceparent and tracestate (W3C Trace Context), without baggage.
var w3c propagation.TraceContext

// nothing is a span that records nothing.
var nothing = trace.SpanFromContext(context.Background())

// Child begins a span below that of ctx if that one is recorded, and returns ctx and a span that records nothing
// otherwise.
func Child(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nothing
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
}

// Inject writes the span context of ctx to header, if there is one.
func Inject(ctx context.Context, header http.Header) {
	if trace.SpanContextFromContext(ctx).IsValid() {
		w3c.Inject(ctx, propagation.HeaderCarrier(header))
	}
}

// Extract returns the span context in header, if ctx has none; it is not valid if header has none.
func Extract(ctx context.Context, header http.Header) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(ctx, propagation.HeaderCarrier(header)))
}
