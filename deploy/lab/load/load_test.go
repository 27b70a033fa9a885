//go:build linux

package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func serve(t *testing.T, handler http.HandlerFunc) Plan {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return Plan{
		Address: strings.TrimPrefix(server.URL, "http://"), Connections: 4, Want: http.StatusOK,
		Requests: []Request{{Path: "/a"}, {Path: "/b"}},
		Warmup:   20 * time.Millisecond, Length: 200 * time.Millisecond,
	}
}

func nothing() error { return nil }

func TestErrorResponsesAreCountedByStatus(t *testing.T) {
	t.Parallel()
	plan := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			panic(http.ErrAbortHandler) // the connection breaks
		}
	})
	result, err := Run(t.Context(), plan, nothing)
	wrong := result.Wrong
	if err != nil || wrong[http.StatusOK] > 0 || wrong[http.StatusTooManyRequests] == 0 || wrong[0] == 0 {
		t.Errorf("%+v, %v", result, err)
	}
}

// Requests are due every 2 ms, most of them while the server is stalled. A closed-loop
// generator would report four slow requests among many fast ones.
func TestAStallCountsInEveryDelayedRequest(t *testing.T) {
	t.Parallel()
	stalled := make(chan struct{})
	var once sync.Once
	plan := serve(t, func(http.ResponseWriter, *http.Request) { <-stalled })
	plan.Rate = 500
	marks := 0
	result, err := Run(t.Context(), plan, func() error {
		if marks++; marks == 2 {
			once.Do(func() { close(stalled) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.P50 < plan.Length/4 {
		t.Errorf("p50 is %s of a stall of %s", result.P50, plan.Length)
	}
}
