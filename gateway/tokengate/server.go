package tokengate

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Bounds of HTTP/2 that Caddy has no settings for. Others are net/http2's own: a client that floods with resets,
// pings, settings or continuations is cut off, and timeouts hold for streams as they do for requests.
const (
	maxStreams = 100
	// A connection that is silent for silence is asked with a PING whether somebody is there, and closed when
	// that is not answered within pong: half of a request, or of a frame, is no answer.
	silence = 10 * time.Second
	pong    = 10 * time.Second
)

// configureServer sets what Caddy has no settings for on the server that the gate is on: the bounds of HTTP/2, and that
// OPTIONS * is a request like every other, which net/http would answer by itself. The server is known only when it has
// a connection; the first one to be accepted configures it before it is served.
func configureServer(ctx context.Context) {
	caddyServer, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if !ok {
		return
	}
	var once sync.Once
	caddyServer.RegisterConnContext(func(ctx context.Context, _ net.Conn) context.Context {
		once.Do(func() {
			if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
				server.DisableGeneralOptionsHandler = true
				server.HTTP2 = &http.HTTP2Config{
					MaxConcurrentStreams: maxStreams, SendPingTimeout: silence, PingTimeout: pong, WriteByteTimeout: pong,
				}
			}
		})
		return ctx
	})
}
