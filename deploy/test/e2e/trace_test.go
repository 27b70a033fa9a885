package e2e

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
)

// spansOf waits until complete accepts the spans of the trace of a request, and returns
// them.
func spansOf(t *testing.T, requestID string, complete func([]tracedSpan) bool) (spans []tracedSpan) {
	t.Helper()
	eventually(t, "the trace of "+requestID, func() bool {
		spans = nil
		_, all := traced.received()
		for _, root := range all {
			if root.service != "gateway" || root.attribute("token_gate.request_id") != requestID {
				continue
			}
			for _, span := range all {
				if bytes.Equal(span.TraceId, root.TraceId) {
					spans = append(spans, span)
				}
			}
		}
		return complete(spans)
	})
	return spans
}

// path returns the names from the root span to a span.
func path(spans []tracedSpan, of tracedSpan) string {
	name := of.service + " " + of.Name
	for _, parent := range spans {
		if bytes.Equal(parent.SpanId, of.ParentSpanId) {
			return path(spans, parent) + " > " + name
		}
	}
	return name
}

func holds(spans []tracedSpan, want string) bool {
	for _, span := range spans {
		if path(spans, span) == want {
			return true
		}
	}
	return false
}

// The trace includes the queries of both services. The gateway starts it, with a link to
// the trace that the client sent. The log line of each program has the ids of its span.
func TestARequestIsOneTraceFromTheEdgeToItsQueries(t *testing.T) {
	t.Parallel()
	const outside = "4bf92f3577b34da6a3ce929d0e0e4736"
	a := do(t, call{
		path: "/api/v1/shipments?per_page=1", token: fresh(t, "shipments:read").Secret,
		header: http.Header{
			"Traceparent": {"00-" + outside + "-00f067aa0ba902b7-01"}, "Tracestate": {"x=planted"},
			"Baggage": {"x=planted"},
		},
	})
	a.wants(t, http.StatusOK, "")
	wanted := []string{
		"gateway GET",
		"gateway GET > gateway count",
		"gateway GET > gateway introspect > tokens-svc POST /internal/v1/introspect > tokens-svc SELECT",
		"gateway GET > gateway forward > shipments-svc GET /api/v1/shipments > shipments-svc SELECT",
	}
	spans := spansOf(t, a.header.Get("X-Request-Id"), func(spans []tracedSpan) bool {
		for _, want := range wanted {
			if !holds(spans, want) {
				return false
			}
		}
		return true
	})
	for _, span := range spans {
		if span.Kind == traces.Span_SPAN_KIND_SERVER {
			logged(t, span)
		}
		if len(span.ParentSpanId) > 0 {
			continue
		}
		if hex.EncodeToString(span.TraceId) == outside || len(span.Links) != 1 ||
			hex.EncodeToString(span.Links[0].TraceId) != outside {
			t.Errorf("the root is of trace %x with links %v", span.TraceId, span.Links)
		}
	}
	if raw, _ := traced.received(); bytes.Contains(raw, []byte("planted")) {
		t.Error("a trace contains tracestate or baggage of the client")
	}
}

// logged waits for the log line of the request of a server's span.
func logged(t *testing.T, span tracedSpan) {
	t.Helper()
	want := fmt.Sprintf(`"trace_id":"%x","span_id":"%x"`, span.TraceId, span.SpanId)
	eventually(t, "a line of "+span.service+" with "+want, func() bool {
		log, err := os.ReadFile(filepath.Join(stack.LogDir(), span.service+".log"))
		return err == nil && bytes.Contains(log, []byte(want))
	})
}
