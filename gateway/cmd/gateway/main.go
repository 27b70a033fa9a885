// Command gateway is the public entrance of Quayside: Caddy with the token_gate module.
//
// Its listeners are of plain TCP: those of multipath TCP, which Go prefers, cannot hand new connections over to the
// next configuration (see package drain).
//
//go:debug multipathtcp=0
package main

import (
	"fmt"
	"os"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway"
	_ "github.com/quayside/quayside/gateway/internal/caddy/stock"
	"github.com/quayside/quayside/gateway/internal/environment"
	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Print(buildinfo.Read().Line("gateway"))
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "run" {
		timerslack.Relax()
	}
	if err := environment.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	caddycmd.Main()
}
