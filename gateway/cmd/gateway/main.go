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
	"runtime/debug"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/quayside/quayside/gateway/internal/caddy/shipped"
	"github.com/quayside/quayside/gateway/internal/environment"
	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/process/timerslack"
)

// gcPercent is GOGC where that is not set: a quarter of the garbage collections for about 20 MB. Caddy sets GOMEMLIMIT
// to nine tenths of a container's memory limit.
const gcPercent = 400

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Print(buildinfo.Read().Line("gateway"))
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "run" {
		timerslack.Relax()
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(gcPercent)
		}
	}
	if err := environment.Prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	caddycmd.Main()
}
