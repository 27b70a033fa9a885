package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// topology is a way in which the product runs.
type topology struct {
	name  string
	start func(context.Context, *testbed) error
}

// The names of the topologies.
const (
	single     = "one of each"
	replicated = "replicated Postgres"
)

var topologies = []topology{
	{single, startSingle},
	{replicated, startReplicated},
}

// link is a proxy between two programs.
type link = toxiproxy.Proxy

// testbed is a running topology and its load's client and tokens.
type testbed struct {
	root, dir string
	stack     *devstack.Stack
	links     map[string]*link // single: by devstack's names
	postgres  *patroni         // replicated
	client    *client          // of the gateway
	closers   []func() error   // in the order of the starts
	tokens    *tokens
	created   atomic.Int64 // references used
}

// startSingle starts a gateway, tokens-svc, two shipments-svc, a Postgres and a
// Redis, with a proxy of toxiproxy in every link between them.
func startSingle(ctx context.Context, b *testbed) error {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()) // it never listens
	b.links = map[string]*link{}
	return b.startStack(ctx, devstack.Options{Proxy: func(l devstack.Link) error {
		b.links[l.Name] = toxiproxy.NewProxy(server, l.Name, l.Listen, l.Server)
		b.closers = append(b.closers, func() error { b.links[l.Name].Stop(); return nil })
		return b.links[l.Name].Start()
	}})
}

// startReplicated starts three Postgres nodes.
func startReplicated(ctx context.Context, b *testbed) (err error) {
	if b.postgres, err = startPatroni(ctx, b); err != nil {
		return err
	}
	return b.startStack(ctx, devstack.Options{DatabaseURL: b.postgres.dsn})
}

func (b *testbed) startStack(ctx context.Context, o devstack.Options) (err error) {
	o.Root, o.Dir, o.Log, o.SecondShipments = b.root, filepath.Join(b.dir, "stack"), os.Stderr, true
	stack, err := devstack.Start(ctx, o)
	if err != nil {
		return err // it has stopped everything
	}
	b.stack, b.client = stack, newClient(stack.URL)
	b.closers = append(b.closers, stack.Close)
	return nil
}

// file is the path of one of this package's.
func (b *testbed) file(name string) string {
	return filepath.Join(b.root, "deploy", "lab", "resilience", name)
}

// spawn starts a server of the infrastructure, with its log in the directory of
// the testbed.
func (b *testbed) spawn(
	name string, owner devstack.Owner, env []string, program string, args ...string,
) (*devstack.Process, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		const packages = "postgresql patroni python3-etcd etcd-server"
		return nil, fmt.Errorf("%w: apt-get install %s", err, packages)
	}
	cmd := exec.Command(path, args...) //nolint:noctx // ended by close
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}, env...)
	owner.Become(cmd)
	p, err := devstack.StartProcess(name, b.dir, cmd)
	if err == nil {
		b.closers = append(b.closers, p.Stop)
	}
	return p, err
}

// close stops everything, last started first.
func (b *testbed) close() (err error) {
	for _, stop := range slices.Backward(b.closers) {
		err = errors.Join(err, stop())
	}
	return err
}
