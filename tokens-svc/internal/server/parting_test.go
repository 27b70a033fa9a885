package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
)

// TestServeSaysThatItEndsBeforeItTakesNoMore: a gateway that asks is told so,
// while requests that are still sent are answered.
func TestServeSaysThatItEndsBeforeItTakesNoMore(t *testing.T) {
	t.Parallel()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path string) (status int, closes bool) {
		u := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: path}
		res, err := http.DefaultTransport.RoundTrip((&http.Request{Method: method, URL: u, Header: http.Header{}}).WithContext(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode, res.Close
	}
	ctx, stop := context.WithCancel(t.Context())
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI == "*" {
			t.Error("a question about the server reached its handler")
		}
		_, _ = io.WriteString(w, "served")
	})
	said := make(chan struct{})
	part := func() {
		defer close(said)
		if status, closes := ask(http.MethodOptions, "*"); status != http.StatusServiceUnavailable || !closes {
			t.Errorf("asked when the end is near: %d, close %v", status, closes)
		}
		if status, closes := ask(http.MethodGet, "/"); status != http.StatusOK || !closes {
			t.Errorf("a request when the end is near: %d, close %v", status, closes)
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, slog.New(slog.DiscardHandler), part, nil, []Server{{Name: "test", Listener: l, Handler: handler}})
	}()
	if status, closes := ask(http.MethodOptions, "*"); status != http.StatusOK || closes {
		t.Errorf("asked before: %d, close %v", status, closes)
	}
	if status, _ := ask(http.MethodOptions, "/"); status != http.StatusOK {
		t.Errorf("OPTIONS of a resource: %d", status)
	}
	stop()
	<-said
	if err := <-done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
