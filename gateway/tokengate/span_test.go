package tokengate

import (
	"net/http"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestSpansLinkTheClientsTraceAndMarkServerErrors(t *testing.T) {
	t.Parallel()

	recorder := tracetest.NewSpanRecorder()
	g := &Gate{tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("")}
	const outside = "4b000000000000000000000000000036"
	for i, tt := range []struct {
		parent string
		links  int
		status int
		code   codes.Code
	}{
		{"", 0, 499, codes.Unset},
		{"00-" + outside + "-b700000000000001-01", 1, 500, codes.Error},
	} {
		r := request(http.MethodGet, "/")
		if tt.parent != "" {
			r.Header.Set("Traceparent", tt.parent)
		}
		_, span := g.begin(r)
		(&exchange{gate: new(Gate), span: span, status: tt.status}).describe()
		span.End()
		got := recorder.Ended()[i]
		if len(got.Links()) != tt.links || got.Parent().IsValid() || got.SpanContext().TraceID().String() == outside ||
			got.Status().Code != tt.code {
			t.Errorf("%q: %v, parent %v, %v", tt.parent, got.Links(), got.Parent(), got.Status())
		}
		if tt.links > 0 && got.Links()[0].SpanContext.TraceID().String() != outside {
			t.Errorf("linked to %v", got.Links()[0].SpanContext)
		}
	}
}
