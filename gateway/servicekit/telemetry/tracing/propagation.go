package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// w3c propagates traces in traceparent and tracestate (W3C Trace Context), without baggage.
var w3c propagation.TraceContext

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
