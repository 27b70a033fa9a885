// Package tracing sends spans to an OpenTelemetry collector, by OTLP over HTTP.
//
// Guarantees: without an endpoint in the environment there is no tracer, and
// nothing costs anything; sending holds nobody up, and what a collector does not
// take is dropped. All that OpenTelemetry defines for the environment holds:
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS and _TIMEOUT, OTEL_TRACES_SAMPLER,
// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED and so on.
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

// scope names this product's spans among those of others.
const scope = "github.com/quayside/quayside"

// closeTimeout bounds the sending of the last spans.
const closeTimeout = 2 * time.Second

// Traces are the traces of a program. The zero value is of one that has none.
type Traces struct {
	provider *sdktrace.TracerProvider
}

// Start begins to send the spans of a program if the environment says where to.
// told is told whether that works. It does not connect.
func Start(ctx context.Context, program string, told func(error)) (Traces, error) {
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
	otel.SetErrorHandler(otel.ErrorHandlerFunc(told)) // else it writes to standard error
	return Traces{sdktrace.NewTracerProvider(sdktrace.WithResource(named), sdktrace.WithBatcher(observed{exporter, told}))}, nil
}

func wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Tracer makes spans. It is nil where there are none.
func (t Traces) Tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer(scope)
}

// Close sends what is left, for two seconds at most, also when ctx has ended.
func (t Traces) Close(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // told was told
}

// observed tells whether spans were taken.
type observed struct {
	sdktrace.SpanExporter

	told func(error)
}

// ExportSpans implements sdktrace.SpanExporter.
func (o observed) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	o.told(o.SpanExporter.ExportSpans(ctx, spans))
	return nil
}
