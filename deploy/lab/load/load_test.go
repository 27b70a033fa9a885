//go:build linux

package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

func TestEveryAnswerIsCountedOnce(t *testing.T) {
	t.Parallel()
	var a, b atomic.Int64
	plan := serve(t, func(w http.ResponseWriter, r *http.Request) {
		map[string]*atomic.Int64{"/a": &a, "/b": &b}[r.URL.Path].Add(1)
		_, _ = fmt.Fprint(w, "something")
	})
	result, err := Run(t.Context(), plan, nothing)
	if err != nil || len(result.Wrong) > 0 {
		t.Fatalf("%v, wrong %v", err, result.Wrong)
	}
	if result.Answers == 0 || result.Took < plan.Length || a.Load()-b.Load() > 1 || b.Load()-a.Load() > 1 ||
		int64(result.Answers) > a.Load()+b.Load() {
		t.Errorf("%+v; the server saw %d and %d", result, a.Load(), b.Load())
	}
}

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

func TestASteadyRateIsKept(t *testing.T) {
	t.Parallel()
	plan := serve(t, func(http.ResponseWriter, *http.Request) {})
	plan.Rate = 500
	result, err := Run(t.Context(), plan, nothing)
	if err != nil {
		t.Fatal(err)
	}
	// Saturated it would be many thousands; a busy machine is late.
	if rate := float64(result.Answers) / result.Took.Seconds(); rate < 1 || rate > 2000 {
		t.Errorf("%.0f a second, want 500", rate)
	}
	if result.P50 <= 0 || result.P99 < result.P50 {
		t.Errorf("p50 %s, p99 %s", result.P50, result.P99)
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

func TestRefusedConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	plan := serve(t, nil)
	plan.Address = "127.0.0.1:1"
	if result, err := Run(t.Context(), plan, nothing); err != nil || result.Wrong[0] == 0 {
		t.Errorf("%+v, %v", result, err)
	}
}
