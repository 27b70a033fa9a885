package httpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
)

// TestReadinessOnThePublicListener: it is withdrawn before requests are refused.
func TestReadinessOnThePublicListener(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path string) (status int, closes bool) {
		u := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: path}
		res, err := http.DefaultTransport.RoundTrip((&http.Request{
			Method: method, URL: u,
			Header: http.Header{},
		}).WithContext(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode, res.Close
	}
	ctx, stop := context.WithCancel(t.Context())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			t.Error("a health check reached the handler")
		}
		_, _ = io.WriteString(w, "served")
	})
	var unready atomic.Bool
	ready := func(context.Context) error {
		if unready.Load() {
			return errors.New("no database")
		}
		return nil
	}
	checked := make(chan struct{})
	wait := func() {
		defer close(checked)
		if status, closes := ask(http.MethodGet, "/readyz"); status != http.StatusServiceUnavailable || !closes {
			t.Errorf("a health check during the lame duck time: %d, close %v", status, closes)
		}
		if status, closes := ask(http.MethodGet, "/"); status != http.StatusOK || !closes {
			t.Errorf("a request during the lame duck time: %d, close %v", status, closes)
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, slog.New(slog.DiscardHandler), wait, nil,
			[]Server{{Name: "test", Listener: l, Handler: handler, Ready: ready}})
	}()
	if status, closes := ask(http.MethodGet, "/readyz"); status != http.StatusOK || closes {
		t.Errorf("a health check before: %d, close %v", status, closes)
	}
	unready.Store(true)
	if status, closes := ask(http.MethodGet, "/readyz"); status != http.StatusServiceUnavailable || closes {
		t.Errorf("a health check when it is not ready: %d, close %v", status, closes)
	}
	unready.Store(false)
	if status, _ := ask(http.MethodPost, "/readyz"); status != http.StatusMethodNotAllowed {
		t.Errorf("POST /readyz: %d", status)
	}
	stop()
	<-checked
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
