package devstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Link is one way between two parts of a stack: who is configured with Listen
// means Server.
type Link struct {
	Name   string // such as "gateway-redis", in the order of who dials whom
	Listen string // loopback address at which nothing listens yet
	Server string // loopback address of the part itself
}

// link returns the address by which one part reaches another: the server's
// own, or, with Options.Between, one behind which somebody else stands.
func (s *Stack) link(ctx context.Context, name, server string) (string, error) {
	if s.opts.Between == nil {
		return server, nil
	}
	listen, err := s.ports.free(ctx)
	if err != nil {
		return "", err
	}
	return listen, s.opts.Between(Link{Name: name, Listen: listen, Server: server})
}

// linkDSN is link for what a DSN names.
func (s *Stack) linkDSN(ctx context.Context, name, dsn string) (string, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", err
	}
	u.Host, err = s.link(ctx, name, u.Host)
	return u.String(), err
}

// replicas is how a second program is found under the name of the first, on a
// machine that has one address for itself.
type replicas struct {
	host      string   // the name
	addresses []string // that it stands for, one a replica
	hosts     string   // an /etc/hosts in which it does, or empty
}

// ErrOneAddress says that no name can stand for two replicas on this machine.
var ErrOneAddress = errors.New("localhost is one address here")

// unshare runs a command with mounts of its own, as the superuser of them.
var unshare = []string{"unshare", "--map-root-user", "--mount"}

// findReplicas uses localhost where that is two addresses. Elsewhere, on Linux,
// the gateway gets an /etc/hosts of its own, in a mount namespace of its own.
func findReplicas(ctx context.Context, dir string, count int) (replicas, error) {
	if count < 2 {
		return replicas{host: "127.0.0.1", addresses: []string{"127.0.0.1"}}, nil
	}
	found, err := net.DefaultResolver.LookupHost(ctx, "localhost")
	if err == nil && len(found) >= 2 {
		return replicas{host: "localhost", addresses: found[:2]}, nil
	}
	//nolint:gosec // G204: our own arguments
	if out, err := exec.CommandContext(ctx, unshare[0], append(unshare[1:], "true")...).CombinedOutput(); err != nil {
		return replicas{}, fmt.Errorf("%w, and unshare: %w %s", ErrOneAddress, err, out)
	}
	r := replicas{
		host: "shipments-svc", addresses: []string{"127.0.0.1", "127.0.0.2"},
		hosts: filepath.Join(dir, "hosts"),
	}
	lines := fmt.Appendf(nil, "127.0.0.1 localhost\n")
	for _, address := range r.addresses {
		lines = fmt.Appendf(lines, "%s %s\n", address, r.host)
	}
	return r, os.WriteFile(r.hosts, lines, 0o600)
}

// see makes a command see the names of r. The process is the same one: it can
// be signalled as if it had been started without.
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

// at is a port of the i-th replica's address.
func (r replicas) at(i int, port string) string {
	return net.JoinHostPort(r.addresses[i], strings.TrimPrefix(port, ":"))
}

// replicaLink returns where a replica is to listen so that it is found at an
// address of its name.
func (s *Stack) replicaLink(ctx context.Context, name, found string) (string, error) {
	if s.opts.Between == nil {
		return found, nil
	}
	listen, err := s.ports.free(ctx)
	if err != nil {
		return "", err
	}
	return listen, s.opts.Between(Link{Name: "gateway-" + name, Listen: found, Server: listen})
}
