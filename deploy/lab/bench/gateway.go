//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// The sides of `bench gateway`.
const (
	gateway = "gateway"    // as shipped
	bare    = "bare Caddy" // only reverse_proxy
)

// testbed is the running programs of `bench gateway`. The proxies have one half
// of the processors, everything else the other half.
type testbed struct {
	settings settings
	dir      string
	cores    string // of the proxies, as taskset takes them; empty: all
	stack    *devstack.Stack
	upstream *upstream
	servers  map[string]*devstack.Program
}

// compareGateway measures the gateway beside a bare Caddy, in front of the same
// upstream.
func compareGateway(ctx context.Context, s settings) (_ *comparison, err error) {
	s.connections = 64
	b := &testbed{settings: s, servers: map[string]*devstack.Program{}}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	c := &comparison{settings: s, goals: gatewayGoals}
	for _, name := range []string{gateway, bare} {
		c.sides = append(c.sides, side{name: name, address: b.servers[name].Address, cpu: func() (usage, error) {
			return cpuOf(b.servers[name].PID())
		}})
	}
	if c.kinds, err = b.scenarios(ctx); err != nil {
		return nil, err
	}
	return c, c.run(ctx)
}

// start starts the stack, with an upstream in place of shipments-svc, and the
// programs to compare.
func (b *testbed) start(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "quayside-bench-"); err != nil {
		return err
	}
	caddy, err := b.buildBare(ctx)
	if err != nil {
		return err
	}
	if err := b.pin(ctx); err != nil {
		return err
	}
	b.stack, err = devstack.Start(ctx, devstack.Options{Root: b.settings.root, Dir: b.dir, Log: b.settings.log})
	if err != nil {
		b.stack = nil // it has stopped everything
		return err
	}
	if b.upstream, err = listen(ctx); err != nil {
		return err
	}
	shipped := b.stack.Program("gateway")
	_, upstreamPort, _ := net.SplitHostPort(b.upstream.address())
	env := append(shipped.Environ(), "SHIPMENTS_PORT="+upstreamPort, "GOGC=200") // as in the image
	bareConfig := filepath.Join(b.settings.root, "deploy", "lab", "bench", "bare.Caddyfile")
	return errors.Join(
		shipped.Stop(),
		b.serve(ctx, gateway, env, shipped.Command),
		b.serve(ctx, bare, env, []string{caddy, "run", "--adapter", "caddyfile", "--config", bareConfig}),
	)
}

// pin divides the processors and moves this process, and so the children that it
// will have, to one half, if taskset is available.
func (b *testbed) pin(ctx context.Context) error {
	n := runtime.NumCPU()
	if _, err := exec.LookPath("taskset"); err != nil || n < 2 {
		return nil //nolint:nilerr // not pinned
	}
	b.cores = fmt.Sprintf("0-%d", n/2-1)
	others, self := fmt.Sprintf("%d-%d", n/2, n-1), strconv.Itoa(os.Getpid())

	out, err := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", others, self).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// buildBare builds a Caddy without anything of the gateway's.
func (b *testbed) buildBare(ctx context.Context) (binary string, err error) {
	binary = filepath.Join(b.dir, "barecaddy")

	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./internal/caddy/barecaddy")
	build.Dir = filepath.Join(b.settings.root, "gateway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build a bare Caddy: %w:\n%s", err, out)
	}
	return binary, nil
}

// serve starts a server and registers it by its name.
func (b *testbed) serve(ctx context.Context, name string, env, command []string) error {
	free, err := devstack.FreeAddresses(ctx, 2)
	if err != nil {
		return err
	}
	address, inner := free[0], free[1]
	env = slices.Concat(env, []string{"GATEWAY_ADDRESS=" + port(address), "GATEWAY_INNER_ADDRESS=" + port(inner)})
	if name == bare {
		inner = address // which answers 200 on every path
	}
	b.servers[name] = &devstack.Program{ProgramConfig: devstack.ProgramConfig{
		Name: name, Command: command, Env: env, Address: address, Inner: inner, LogDir: b.dir, Cores: b.cores,
	}}
	return b.servers[name].Start(ctx)
}

// port returns the ":PORT" of an address.
func port(address string) string { return address[strings.LastIndexByte(address, ':'):] }

// close stops everything and removes it.
func (b *testbed) close() (err error) {
	for _, s := range b.servers {
		err = errors.Join(err, s.Stop())
	}
	if b.upstream != nil {
		err = errors.Join(err, b.upstream.close())
	}
	if b.stack != nil {
		err = errors.Join(err, b.stack.Close())
	}
	if b.dir != "" {
		err = errors.Join(err, devstack.Clean(b.dir))
	}
	return err
}
