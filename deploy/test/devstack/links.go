package devstack

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Link is a connection between two parts of a stack: the client is configured
// with Listen instead of Server.
type Link struct {
	Name   string // client and server, such as "gateway-redis"
	Listen string // loopback address of the proxy
	Server string // loopback address of the server
}

// link returns the address with which a client is configured: the server's own,
// or that of a proxy with Options.Proxy.
func (s *Stack) link(ctx context.Context, name, server string) (string, error) {
	return s.proxied(ctx, server, func(free string) Link { return Link{Name: name, Listen: free, Server: server} })
}

// replicaLink returns the address at which a replica listens: found, or one
// behind a proxy at found.
func (s *Stack) replicaLink(ctx context.Context, name, found string) (string, error) {
	return s.proxied(ctx, found, func(free string) Link {
		return Link{Name: "gateway-" + name, Listen: found, Server: free}
	})
}

func (s *Stack) proxied(ctx context.Context, direct string, link func(free string) Link) (string, error) {
	if s.opts.Proxy == nil {
		return direct, nil
	}
	free, err := freeAddress(ctx)
	if err != nil {
		return "", err
	}
	return free, s.opts.Proxy(link(free))
}

// linkDSN is link for the server of a DSN.
func (s *Stack) linkDSN(ctx context.Context, name, dsn string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", err
	}
	u.Host, err = s.link(ctx, name, u.Host)
	return u.String(), err
}

// replicas is a host name with one address per replica on one machine.
type replicas struct {
	host      string   // the name
	addresses []string // of the name, one per replica
	hosts     string   // path of an /etc/hosts that defines it, or empty
}

// unshare runs a command in a mount namespace of its own.
var unshare = []string{"unshare", "--map-root-user", "--mount"}

// findReplicas gives the gateway an /etc/hosts of its own in a mount namespace, on Linux, if there are two.
func findReplicas(ctx context.Context, opts Options) (replicas, error) {
	if !opts.SecondShipments {
		return replicas{host: "127.0.0.1", addresses: []string{"127.0.0.1"}}, nil
	}
	//nolint:gosec // G204: our own arguments
	if out, err := exec.CommandContext(ctx, unshare[0], append(unshare[1:], "true")...).CombinedOutput(); err != nil {
		return replicas{}, fmt.Errorf("unshare: %w %s", err, out)
	}
	r := replicas{
		host: "shipments-svc", addresses: []string{"127.0.0.1", "127.0.0.2"},
		hosts: filepath.Join(opts.Dir, "hosts"),
	}
	hosts := fmt.Sprintf("127.0.0.1 localhost\n127.0.0.1 %[1]s\n127.0.0.2 %[1]s\n", r.host)
	return r, os.WriteFile(r.hosts, []byte(hosts), 0o600)
}

// see makes the names of r visible to a command. Its process id stays the same.
func (r replicas) see(cmd *exec.Cmd) error {
	if r.hosts == "" {
		return nil
	}
	path, err := exec.LookPath(unshare[0])
	if err != nil {
		return err
	}
	cmd.Args = slices.Concat(unshare,
		[]string{"sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, r.hosts, cmd.Path}, cmd.Args[1:])
	cmd.Path = path
	return nil
}
