// Command barecaddy is Caddy with the modules of package stock, without anything of Quayside's: what `make bench`
// compares the gateway with. It is part of no image.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway/internal/caddy/stock"
)

func main() { caddycmd.Main() }
