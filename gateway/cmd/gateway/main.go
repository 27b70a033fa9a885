// Command gateway is the public door of Quayside: Caddy, the modules of it that the shipped Caddyfile
// needs, and token_gate.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	// The adapter and the directives of the shipped Caddyfile. What is not here cannot be configured
	// by mistake: no file server, no templates, no FastCGI, no admin of a PKI.
	_ "github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/requestbody"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	_ "github.com/caddyserver/caddy/v2/modules/filestorage"
	_ "github.com/caddyserver/caddy/v2/modules/logging"
	_ "github.com/caddyserver/caddy/v2/modules/metrics"

	_ "github.com/quayside/quayside/gateway/internal/health"
	_ "github.com/quayside/quayside/gateway/replicas"
	_ "github.com/quayside/quayside/gateway/tokengate"
)

func main() {
	caddycmd.Main()
}
