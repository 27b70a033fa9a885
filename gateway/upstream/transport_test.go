package upstream

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
)

func TestRefusedConnectionIsUnhealthyUntilThreeChecksPass(t *testing.T) {
	t.Parallel()

	all := replicas(t, 2, nil)
	transport, _ := transportTo(t, all)
	address := all[0].Listener.Addr().String()
	all[0].Close()
	transport.http.CloseIdleConnections()

	failed := 0
	for range 20 {
		if err := send(t, transport, http.MethodPost, "x"); err != nil {
			failed++
		}
	}
	if failed != 0 || all[1].seen.Load() != 20 {
		t.Errorf("%d of 20 failed, %d reached the other address", failed, all[1].seen.Load())
	}

	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	back := &http.Server{Handler: all[0], ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { _ = back.Close() })
	go func() { _ = back.Serve(listener) }()
	for _, want := range []state{recovering, recovering, healthy} {
		transport.service.checkAll(t.Context())
		if states := statesOf(transport.service); states[0] != want || states[1] != healthy {
			t.Errorf("after a check: %v, want %v", states, want)
		}
	}
}

// A request that could not be sent is sent whole to another address, whatever its method.
func TestRequestWithoutAConnectionGoesToAnotherAddress(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct{ method, body string }{
		"GET":             {http.MethodGet, ""},
		"HEAD":            {http.MethodHead, ""},
		"OPTIONS":         {http.MethodOptions, ""},
		"GET with a body": {http.MethodGet, "x"},
		"POST":            {http.MethodPost, "x"},
		"empty POST":      {http.MethodPost, ""},
		"PUT":             {http.MethodPut, "x"},
		"DELETE":          {http.MethodDelete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got atomic.Value
			all := replicas(t, 2, nil)
			all[1].body = &got
			transport, _ := transportTo(t, all)
			all[0].Close()
			transport.service.turn.Store(1) // the first address is next
			if err := send(t, transport, tt.method, tt.body); err != nil || got.Load() != tt.body {
				t.Errorf("%v, the other address got %q", err, got.Load())
			}
		})
	}
}

func TestWithoutAnyConnectionTheErrorIsThatOfTheSecondAttempt(t *testing.T) {
	t.Parallel()

	all := replicas(t, 3, nil)
	transport, _ := transportTo(t, all)
	all[0].Close()
	all[1].Close()
	transport.service.turn.Store(2) // the first address is next
	if err := send(t, transport, http.MethodPost, "x"); !errors.As(err, new(dialError)) || all[2].seen.Load() != 0 {
		t.Errorf("%v, %d at the third address", err, all[2].seen.Load())
	}
}

// On a broken reused connection net/http itself would retry a POST with an idempotency key.
func TestPostWithIdempotencyKeyIsNotRetried(t *testing.T) {
	t.Parallel()

	all := replicas(t, 1, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") != "" {
			if r.Header.Get("Idempotency-Key") != "k" || r.Header.Get("X-Idempotency-Key") != "k" {
				t.Error("the keys did not arrive")
			}
			panic(http.ErrAbortHandler)
		}
	})
	transport, _ := transportTo(t, all)
	for round := range 3 {
		if err := send(t, transport, http.MethodPost, ""); err != nil { // leaves a reusable connection
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		request.RequestURI, request.Body = "", nil
		request.Header.Set("Idempotency-Key", "k")
		request.Header.Set("X-Idempotency-Key", "k")
		response, err := transport.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
			t.Error("a connection that broke was an answer")
		}
		if got, want := all[0].seen.Load(), int32(2*(round+1)); got != want {
			t.Fatalf("round %d: %d requests arrived, want %d", round, got, want)
		}
	}
	if states := statesOf(transport.service); states[0] != healthy {
		t.Errorf("a request that breaks its connection makes its address %v for everybody", states[0])
	}
}

func TestSendingPropagatesTheTrace(t *testing.T) {
	t.Parallel()

	got := make(chan string, 2)
	transport, _ := transportTo(t, replicas(t, 1, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Traceparent") }))
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r := httptest.NewRequestWithContext(trace.ContextWithSpanContext(t.Context(), span), method, "/", nil)
		r.RequestURI = ""
		response, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if parent := <-got; !strings.Contains(parent, span.TraceID().String()) {
			t.Errorf("%s: traceparent %q", method, parent)
		}
	}
}
