package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
)

// pooling is the configuration of a PgBouncer before all databases of a
// server. It passes statement_timeout over because tokens-svc sends it with
// its first message, which a pooler cannot pass on; nothing else is special.
const pooling = `[databases]
* = host=%s port=%s user=%s password=%s

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

// startPgBouncer puts the machine's PgBouncer, in transaction mode, before a
// server that this program started. It returns a DSN through it, or an empty
// one where the machine has none.
func startPgBouncer(ctx context.Context, s *server, p ports, dir string, log io.Writer) (stopper, string, error) {
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		_, _ = fmt.Fprintln(log, "pgbouncer none on this machine")
		return closer(func() {}), "", nil
	}
	address, err := p.free(ctx)
	if err != nil {
		return nil, "", err
	}
	behind, err := url.Parse(s.url)
	if err != nil {
		return nil, "", err
	}
	password, _ := behind.User.Password()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, "", err
	}
	// Beside the cluster, where its owner may read: PgBouncer refuses to run as root, too.
	config := filepath.Join(filepath.Dir(s.config.dir), "pgbouncer-"+filepath.Base(s.config.dir)+".ini")
	if err := s.owner.write(config, fmt.Sprintf(pooling, behind.Hostname(), behind.Port(), behind.User.Username(), password, host, port)); err != nil {
		return nil, "", err
	}
	defer func() { _ = os.Remove(config) }()       // it was read once it answers
	cmd := exec.Command(binary, "--quiet", config) //nolint:gosec,noctx // G204: found on PATH; it outlives the start and is stopped by Stop
	s.owner.become(cmd)
	running, err := startProcess("pgbouncer", dir, cmd)
	if err != nil {
		return nil, "", err
	}
	running.quit = os.Interrupt
	through := *behind
	through.Host = address
	_, _ = fmt.Fprintf(log, "pgbouncer %s at %s\n", binary, address)
	return running, through.String(), running.await(ctx, "pgbouncer", func() error { return ping(ctx, through.String()) })
}
