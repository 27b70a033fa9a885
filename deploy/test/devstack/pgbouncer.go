package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pooling is the configuration of PgBouncer. It ignores statement_timeout in the
// startup message, which the services send and a pooler cannot forward, and sets it.
const pooling = `[databases]
* = host=%s port=%s user=postgres password=%s connect_query='SET statement_timeout = 900'

[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 2000
server_idle_timeout = 5
ignore_startup_parameters = statement_timeout
`

// startPgBouncer starts PgBouncer in transaction mode in front of a server. It
// returns a DSN through it, or an empty one if PgBouncer is not installed.
func startPgBouncer(ctx context.Context, s *Cluster, dir string, log io.Writer) (*Process, string, error) {
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		_, _ = fmt.Fprintln(log, "pgbouncer not installed")
		return nil, "", nil
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, "", err
	}
	serverHost, serverPort, _ := net.SplitHostPort(s.config.address)
	host, port, _ := net.SplitHostPort(address)
	// Beside the cluster, where its owner may read: PgBouncer also refuses to run as root.
	config := filepath.Join(filepath.Dir(s.Dir), "pgbouncer.ini")
	text := fmt.Sprintf(pooling, serverHost, serverPort, s.config.password, host, port)
	if err := s.owner.write(config, text); err != nil {
		return nil, "", err
	}
	defer func() { _ = os.Remove(config) }() // it is read at the start
	//nolint:gosec,noctx // G204: found on PATH; it outlives the start and is stopped by Stop
	cmd := exec.Command(binary, "--quiet", config)
	s.owner.become(cmd)
	running, err := startProcess("pgbouncer", dir, cmd)
	if err != nil {
		return nil, "", err
	}
	running.quit = os.Interrupt
	through := strings.Replace(s.URL, s.config.address, address, 1)
	_, _ = fmt.Fprintf(log, "pgbouncer %s at %s\n", binary, address)
	return running, through, running.Await(ctx, func() error { return ping(ctx, through) })
}
