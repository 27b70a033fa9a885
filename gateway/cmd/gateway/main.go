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
	"runtime"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway"
	_ "github.com/quayside/quayside/gateway/internal/caddy/stock"
	"github.com/quayside/quayside/gateway/internal/environment"
	"github.com/quayside/quayside/gateway/internal/process/buildinfo"
	"github.com/quayside/quayside/gateway/internal/process/heapfloor"
	"github.com/quayside/quayside/gateway/internal/process/timerslack"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		version, revision := buildinfo.Version()
		fmt.Printf("gateway %s (revision %s, %s)\n", version, revision, runtime.Version())
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "run" {
		timerslack.Relax()
		heapfloor.Raise()
	}
	if err := environment.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	caddycmd.Main()
}
