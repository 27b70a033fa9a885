// Package spans begins spans below that of a request. It brings no exporter: package tracing has that.
package spans

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// Scope is the instrumentation scope of all spans.
const Scope = "github.com/quayside/quayside"

// nothing is a span that records nothing.
var nothing = trace.SpanFromContext(context.Background())

// Child begins a span below that of ctx if that one is recorded, and returns ctx and a span that records nothing
// otherwise.
func Child(ctx context.Context, name string, kind trace.SpanKind) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, nothing
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, trace.WithSpanKind(kind))
}
