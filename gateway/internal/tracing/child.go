package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// w3c is how traces are told of: traceparent and tracestate (W3C Trace Context), and no baggage.
var w3c propagation.TraceContext

// Child begins a span below that of ctx if that one is recorded, and returns ctx and a span that records
// nothing otherwise.
func Child(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nothing
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind))
}

// nothing is a span that records nothing.
var nothing = trace.SpanFromContext(context.Background())

// Tell tells the receiver of header which span of ctx it works for, if there is one.
func Tell(ctx context.Context, header http.Header) {
	if trace.SpanContextFromContext(ctx).IsValid() {
		w3c.Inject(ctx, propagation.HeaderCarrier(header))
	}
}

// Told returns which span header tells of, where ctx has none; it is not valid if it tells of none.
func Told(ctx context.Context, header http.Header) trace.SpanContext {
	return trace.SpanContextFromContext(w3c.Extract(ctx, propagation.HeaderCarrier(header)))
}
