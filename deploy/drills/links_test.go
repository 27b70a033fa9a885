package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

func TestACutLinkIsSilentUntilItsTimeIsOver(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(server.Close)
	free, err := devstack.FreeAddresses(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	listen := free[0]
	l, err := startLink(listen, server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.stop)
	get := func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listen, http.NoBody)
		if err != nil {
			return err
		}
		res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	const length = 500 * time.Millisecond
	begun, done := time.Now(), make(chan error, 1)
	go func() {
		_, err := l.cutFor(t.Context(), length)
		done <- err
	}()
	for get() == nil { // until it is cut
	}
	if took := time.Since(begun); took < length {
		t.Errorf("a request gets its error after %s, within the cut", took)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := get(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
