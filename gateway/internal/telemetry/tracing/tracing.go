// Package tracing sends spans to an OpenTelemetry collector, by OTLP over HTTP. It guarantees that
//
//   - without an endpoint in the environment there is no tracer, and requests cost nothing;
//   - sending delays no request, and spans that a collector does not take are dropped;
//   - OpenTelemetry's environment variables apply: OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS and
//     _TIMEOUT, OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED and so on.
package tracing

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// scope is the instrumentation scope of this product's spans.
const scope = "github.com/quayside/quayside"

// closeTimeout bounds the sending of the last spans.
const closeTimeout = 2 * time.Second

// Traces is the tracer provider of a program. The zero value provides none.
type Traces struct {
	provider *sdktrace.TracerProvider
}

// Start begins to send the spans of a program if the environment names a collector. onExport receives the result of
// each export. It does not connect.
func Start(ctx context.Context, program string, onExport func(error)) (Traces, error) {
	if !wanted() {
		return Traces{}, nil
	}
	named, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", program)), resource.WithFromEnv())
	if err != nil {
		return Traces{}, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return Traces{}, fmt.Errorf("OTEL_EXPORTER_OTLP_…: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(onExport)) // else it writes to standard error
	return Traces{sdktrace.NewTracerProvider(sdktrace.WithResource(named), sdktrace.WithBatcher(observed{exporter, onExport}))}, nil
}

func wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Tracer returns the tracer, nil if there is none.
func (t Traces) Tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// Close sends the remaining spans, for at most two seconds, also when ctx has ended.
func (t Traces) Close(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // onExport has received the error
}

// observed reports the results of exports.
type observed struct {
	sdktrace.SpanExporter

	onExport func(error)
}

// ExportSpans implements sdktrace.SpanExporter.
func (o observed) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	o.onExport(o.SpanExporter.ExportSpans(ctx, spans))
	return nil
}
