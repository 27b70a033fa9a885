// Package health is the gateway's subcommand health, for images without a shell and curl. It guarantees exit
// status 0 only if the gateway on this machine is ready.
package health

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
)

// timeout bounds the request.
const timeout = 2 * time.Second

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "health",
		Usage: "[--address <host:port>] [--path <path>]",
		Short: "Checks whether the gateway on this machine is ready",
		Long: `
Sends a request to the internal listener of the gateway on this machine, at
GATEWAY_INNER_ADDRESS or :9080, and exits with status 0 if the response is 200, with 1
otherwise.`,
		Flags: func() *flag.FlagSet {
			flags := flag.NewFlagSet("health", flag.ExitOnError)
			flags.String("address", "", "The internal listener; default GATEWAY_INNER_ADDRESS or :9080")
			flags.String("path", "/readyz", "The path to request; /livez only checks that the process runs")
			return flags
		}(),
		Func: run,
	})
}

func run(flags caddycmd.Flags) (int, error) {
	address := flags.String("address")
	if address == "" {
		address = Address(os.Getenv("GATEWAY_INNER_ADDRESS"), os.Getenv("GATEWAY_BIND"))
	}
	if err := Check(context.Background(), address, flags.String("path")); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	return caddy.ExitCodeSuccess, nil
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

// Check requests path at address, a host:port whose empty host means this machine, and returns nil if the
// response is 200.
func Check(ctx context.Context, address, path string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("not an address: %w", err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	//nolint:gosec // G704: the operator chooses the address, and only the status is shown
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path,
		http.NoBody)
	if err != nil {
		return err
	}
	// A proxy in the environment is not on the way to this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request) //nolint:gosec // G704: as above
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
