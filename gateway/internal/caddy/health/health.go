// Package health is the gateway's subcommand health, for images without a shell and curl. It guarantees exit
// status 0 only if the gateway on this machine is ready.
package health

import (
	"cmp"
	"context"
	"net"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "health",
		Short: "Checks whether the gateway on this machine is ready",
		Long: `
Requests /readyz of the internal listener of the gateway on this machine, at
GATEWAY_INNER_ADDRESS or :9080, and exits with status 0 if the response is 200, with 1
otherwise.`,
		Func: func(caddycmd.Flags) (int, error) {
			address := Address(os.Getenv("GATEWAY_INNER_ADDRESS"), os.Getenv("GATEWAY_BIND"))
			if err := httpserver.Check(context.Background(), address); err != nil {
				return caddy.ExitCodeFailedStartup, err
			}
			return caddy.ExitCodeSuccess, nil
		},
	})
}

// Address is the address of the internal listener of this machine's gateway, given its :port, by default :9080, and
// the addresses that the gateway listens on, separated by spaces; none means all.
func Address(inner, bind string) string {
	inner = cmp.Or(inner, ":9080")
	hosts := strings.Fields(bind)
	if len(hosts) == 0 {
		return inner
	}
	return net.JoinHostPort(strings.Trim(hosts[0], "[]"), strings.TrimPrefix(inner, ":"))
}
