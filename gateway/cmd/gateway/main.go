// Command gateway is the public entrance of Quayside: Caddy with the token_gate module.
//
// Its listeners are of plain TCP: those of multipath TCP, which Go prefers, cannot hand new connections over to the
// next configuration (see package drain).
//
//go:debug multipathtcp=0
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway"
	_ "github.com/quayside/quayside/gateway/internal/stock"
)

func main() {
	caddycmd.Main()
}
