// Package tracing sends spans to an OpenTelemetry collector, by OTLP over HTTP.
//
// Guarantees: without an endpoint in the environment there is no tracer and no
// cost; sending does not block requests, and spans that a collector does not
// accept are dropped. OpenTelemetry's environment variables apply:
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS and _TIMEOUT, OTEL_TRACES_SAMPLER,
// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED and others.
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

	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
)

// closeTimeout bounds the sending of the last spans.
const closeTimeout = 2 * time.Second

// Traces send the spans of a program. The zero value sends none.
type Traces struct {
	provider *sdktrace.TracerProvider
}

// Start starts sending the spans of a program if the environment has an endpoint.
// It does not connect. report is called with the result of each export.
func Start(ctx context.Context, program string, report func(error)) (Traces, error) {
	if !enabled() {
		return Traces{}, nil
	}
	attributes, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", program)), resource.WithFromEnv())
	if err != nil {
		return Traces{}, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return Traces{}, fmt.Errorf("OTEL_EXPORTER_OTLP_…: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(report)) // by default it writes to standard error
	return Traces{sdktrace.NewTracerProvider(sdktrace.WithResource(attributes),
		sdktrace.WithBatcher(observed{exporter, report}))}, nil
}

func enabled() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Tracer returns the tracer, or nil if there is none.
func (t Traces) Tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer(spans.Scope)
}

// Close sends the remaining spans, for two seconds at most, also when ctx has ended.
func (t Traces) Close(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // failed exports were reported
}

// observed reports the result of each export.
type observed struct {
	sdktrace.SpanExporter

	report func(error)
}

// ExportSpans implements sdktrace.SpanExporter.
func (o observed) ExportSpans(ctx context.Context, ended []sdktrace.ReadOnlySpan) error {
	o.report(o.SpanExporter.ExportSpans(ctx, ended))
	return nil
}
