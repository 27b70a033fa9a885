package tokengate

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Bounds of HTTP/2 that Caddy has no settings for. Others are net/http2's own: it closes connections that flood
// with resets, pings, settings or continuations, and timeouts apply to streams as to requests.
const (
	maxStreams = 100
	// A connection without traffic for silence gets a PING, and is closed without a reply within pong. Half of a
	// request, or of a frame, is no reply.
	silence = 10 * time.Second
	pong    = 10 * time.Second
)

// configureServer sets what Caddy has no settings for on the server that the gate is on: the bounds of HTTP/2, and that
// OPTIONS * is a request like every other, which net/http would answer by itself. The server is known only when it has
// a connection; the first one to be accepted configures it before it is served.
func configureServer(caddyServer *caddyhttp.Server) {
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
