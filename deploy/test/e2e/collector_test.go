package e2e

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	collect "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector receives traces over OTLP/HTTP and keeps them in memory.
type collector struct {
	mu    sync.Mutex
	raw   []byte // all request bodies, in protobuf
	spans []tracedSpan
}

// tracedSpan is a span with the name of its service.
type tracedSpan struct {
	*traces.Span

	service string
}

// attribute returns the text of an attribute; empty if there is none.
func (s tracedSpan) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// listen starts the collector and returns the settings with which programs send it their spans, without delay.
func (c *collector) listen() (env []string) {
	url := httptest.NewServer(c).URL
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + url, "OTEL_BSP_SCHEDULE_DELAY=100"}
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, readErr := io.ReadAll(r.Body)
	var sent collect.ExportTraceServiceRequest
	if err := errors.Join(readErr, proto.Unmarshal(body, &sent)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, body...)
	for _, resource := range sent.ResourceSpans {
		service := ""
		for _, a := range resource.Resource.GetAttributes() {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, tracedSpan{span, service})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// received returns what was received so far.
func (c *collector) received() (raw []byte, spans []tracedSpan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw), slices.Clone(c.spans)
}
