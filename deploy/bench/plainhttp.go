package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// plainHTTPCommand makes this program a net/http server without work of its own:
// the minimum cost of every program that uses net/http, such as Caddy.
const plainHTTPCommand = "plainhttp"

// servePlainHTTP responds with as many headers and as long a body as the
// gateway's 429.
func servePlainHTTP(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New(plainHTTPCommand + " needs an address")
	}
	body := make([]byte, 256)
	headers := map[string][]string{
		"Cache-Control": {"no-store"}, "Content-Length": {strconv.Itoa(len(body))}, "Content-Type": {"application/problem+json"},
		"RateLimit": {`"token";r=0;t=86399`}, "RateLimit-Policy": {`"token";q=1;w=86400`}, "Retry-After": {"86399"},
		"X-RateLimit-Limit": {"1"}, "X-RateLimit-Remaining": {"0"}, "X-RateLimit-Reset": {"1795228542"},
		"X-Request-ID": {"req_01m7xzb5v7f55b6dm66nymzbcb"},
	}
	server := &http.Server{
		Addr: args[0], ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			maps.Copy(w.Header(), headers)
			_, _ = w.Write(body)
		}),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
