package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// TestASpanHasRouteStatusAndIdentity, in the trace of the client, and no text of the
// request. The log line names the span.
func TestASpanHasRouteStatusAndIdentity(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	defer func() { _ = provider.Shutdown(context.WithoutCancel(t.Context())) }()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter,
		_ *http.Request,
	) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	attrs := func(*http.Request) []slog.Attr { return []slog.Attr{slog.String("request_id", "req_1")} }
	var log bytes.Buffer
	h := Instrument(nil, provider.Tracer("test"), AccessLog(slog.New(slog.NewJSONHandler(&log, nil)), attrs, nil, mux))

	r := httptest.NewRequest(http.MethodGet, "/things/secret?token=secret", nil)
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	r.Header.Set("User-Agent", "secret")
	h.ServeHTTP(httptest.NewRecorder(), r)
	ended := spans.Ended()
	if len(ended) != 1 {
		t.Fatalf("%d spans", len(ended))
	}
	s := tracetest.SpanStubFromReadOnlySpan(ended[0])
	if s.Name != "GET /things/{id}" || s.Parent.TraceID().String() != "4bf92f3577b34da6a3ce929d0e0e4736" ||
		s.Parent.SpanID().String() != "00f067aa0ba902b7" || s.Status.Code != codes.Error {
		t.Errorf("%+v", s)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"quayside.request_id"`, `"req_1"`, `503`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(string(text), "secret") {
		t.Errorf("a secret is in %s", text)
	}
	if want := `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"` + s.SpanContext.SpanID().String() +
		`"`; !strings.Contains(log.String(), want) {
		t.Errorf("no %s in %s", want, &log)
	}
}

// TestOnlyALineWithARecordedSpanHasATraceID: an id of a trace that no collector has
// leads nowhere.
func TestOnlyALineWithARecordedSpanHasATraceID(t *testing.T) {
	t.Parallel()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
	defer func() { _ = provider.Shutdown(context.WithoutCancel(t.Context())) }()
	for name, tracer := range map[string]trace.Tracer{"no traces": nil, "not sampled": provider.Tracer("test")} {
		var log bytes.Buffer
		attrs := func(*http.Request) []slog.Attr { return nil }
		h := Instrument(nil, tracer, AccessLog(slog.New(slog.NewJSONHandler(&log, nil)), attrs, nil, http.NotFoundHandler()))
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if line := log.String(); !strings.Contains(line, `"status":404`) || strings.Contains(line, "trace_id") {
			t.Errorf("%s: %s", name, line)
		}
	}
}
