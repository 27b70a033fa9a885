// Command gateway is the public entrance of Quayside: Caddy with the token_gate module.
//
// Of Caddy's own modules it holds the adapter, what the shipped Caddyfile names, and reverse_proxy, beside which the
// gateway is measured. What is not here cannot be configured by mistake: no file server, no templates, no FastCGI,
// no certificate authority.
//
// Its listeners are of plain TCP: those of multipath TCP, which Go prefers, cannot hand new connections over to the
// next configuration (see package drain).
//
//go:debug multipathtcp=0
package main

import (
	_ "github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/gzip"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/encode/zstd"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	_ "github.com/caddyserver/caddy/v2/modules/filestorage"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
	_ "github.com/caddyserver/caddy/v2/modules/metrics"

	_ "github.com/quayside/quayside/gateway"
)

func main() {
	caddycmd.Main()
}
