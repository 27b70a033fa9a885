// Package collector is an OpenTelemetry collector for tests: it receives traces
// over OTLP/HTTP and keeps them in memory.
package collector

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	collect "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps received traces.
type Collector struct {
	URL string // for OTEL_EXPORTER_OTLP_ENDPOINT

	server *http.Server

	mu    sync.Mutex
	raw   []byte
	spans []Span
}

// Span is a span with the name of its service.
type Span struct {
	*traces.Span

	Service string
}

// Attribute returns the text of an attribute; empty if there is none.
func (s Span) Attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// Start starts a collector on a free port of loopback.
func Start(ctx context.Context) (*Collector, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &Collector{URL: "http://" + listener.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", c.take)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.server.Serve(listener) }() // until Close
	return c, nil
}

// Env has the settings with which programs send their spans here, without delay.
func (c *Collector) Env() []string {
	return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_BSP_SCHEDULE_DELAY=100"}
}

// Close stops the collector.
func (c *Collector) Close() error { return c.server.Close() }

func (c *Collector) take(w http.ResponseWriter, r *http.Request) {
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
				c.spans = append(c.spans, Span{span, service})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// Spans returns all spans received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Raw returns all request bodies received so far, in protobuf.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}
