//go:build linux

package load

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestErrorResponsesAreCountedByStatus(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/b" {
			panic(http.ErrAbortHandler) // the connection breaks
		}
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(server.Close)
	result, err := Run(t.Context(), Plan{
		Address: strings.TrimPrefix(server.URL, "http://"), Connections: 4, Want: http.StatusOK,
		Requests: []Request{{Path: "/a"}, {Path: "/b"}},
		Warmup:   20 * time.Millisecond, Length: 200 * time.Millisecond,
	}, func() error { return nil })
	if n := result.Wrong; err != nil || n[http.StatusOK] > 0 || n[http.StatusTooManyRequests] == 0 || n[0] == 0 {
		t.Errorf("%+v, %v", result, err)
	}
}
