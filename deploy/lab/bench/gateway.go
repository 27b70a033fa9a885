//go:build linux

package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/valyala/fasthttp"

	"github.com/quayside/quayside/deploy/lab/load"
	"github.com/quayside/quayside/deploy/test/devstack"
)

//go:embed page.json
var page []byte

// compareGateway measures the gateway beside a bare Caddy, in front of the same
// upstream, which stands in for shipments-svc and is so fast that measured costs are those of
// the proxy: unpinned, where all programs share the processors, and pinned, where the proxies have
// one half of them and everything else the other half.
func compareGateway(ctx context.Context, s settings, facts string) error {
	s.connections = 64
	missed := s.compareProxies(ctx, "Unpinned: "+facts, nil, 1.25)
	if missed != nil && !errors.Is(missed, errMissed) {
		return missed
	}
	pinned, err := pin(ctx)
	if err != nil || pinned == nil {
		return errors.Join(missed, err)
	}
	return cmp.Or(s.compareProxies(ctx, "Pinned: "+facts, pinned, 1.45), missed)
}

// compareProxies measures both with what their commands begin with; most is the goal of saturation.
func (s settings) compareProxies(ctx context.Context, facts string, pinned []string, most float64) (err error) {
	stack, stop, err := startStack(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	go func() {
		_ = fasthttp.Serve(listener, func(c *fasthttp.RequestCtx) { // until the listener is closed
			c.SetContentType("application/json")
			c.SetBody(page)
		})
	}()
	_, upstream, _ := net.SplitHostPort(listener.Addr().String())

	gateway := stack.Program("gateway")
	if err := gateway.Stop(); err != nil {
		return err
	}
	gateway.Env = append(gateway.Env, "SHIPMENTS_PORT="+upstream, "GOGC=400") // its default, for the bare Caddy, too
	gateway.Command = slices.Concat(pinned, gateway.Command)
	bare, err := bareCaddy(ctx, stack.LogDir())
	if err != nil {
		return err
	}
	bare.Env, bare.Command = slices.Concat(gateway.Env, bare.Env), slices.Concat(pinned, bare.Command)
	defer func() { err = errors.Join(err, bare.Stop(), gateway.Stop()) }()
	if err := errors.Join(gateway.Start(ctx), bare.Start(ctx)); err != nil {
		return err
	}
	kinds, err := gatewayKinds(ctx, stack, gateway, bare, most)
	if err != nil {
		return err
	}
	if pinned == nil {
		kinds = kinds[:len(kinds)-1] // more refusals would be in flight than one address may have
	}
	return s.compare(ctx, facts, kinds)
}

// startStack starts the product with its data in a temporary directory. stop also removes that.
func startStack(ctx context.Context, s settings) (stack *devstack.Stack, stop func() error, err error) {
	dir, err := os.MkdirTemp("", "quayside-bench-")
	if err != nil {
		return nil, nil, err
	}
	stack, err = devstack.Start(ctx, devstack.Options{Dir: dir, Log: s.log})
	if err != nil {
		return nil, nil, errors.Join(err, devstack.Clean(dir)) // it has stopped everything
	}
	return stack, func() error { return errors.Join(stack.Close(), devstack.Clean(dir)) }, nil
}

// gatewayKinds creates the tokens of each kind of traffic. A bare Caddy forwards everything.
func gatewayKinds(
	ctx context.Context, stack *devstack.Stack, gateway, bare *devstack.Program, most float64,
) ([]kind, error) {
	_, many, err := newOrganization(ctx, stack, 1000) // the most that one may have
	if err != nil {
		return nil, err
	}
	// The first request, before the load begins, uses up the window of a day.
	spent, err := stack.CreateTokens(ctx, 1, stack.Demo.Organization, "shipments:read",
		"--limit", "1", "--window-seconds", "86400")
	if err != nil {
		return nil, err
	}
	kinds := []kind{
		{name: "1,000 tokens", cpu: most},
		{name: "1,000 tokens, 2,000/s", rate: 2000, cpu: 1.25, p99: 1.3},
		{name: "all refused (429)", cpu: 0.45},
	}
	for i := range kinds {
		tokens, want := many, http.StatusOK
		if i == 2 {
			tokens, want = spent, http.StatusTooManyRequests
		}
		requests := get(tokens, "/api/v1/shipments?page=1&per_page=2")
		kinds[i].ours = side{"gateway", gateway.Address, gateway.PID(), requests, want}
		kinds[i].other = side{"bare Caddy", bare.Address, bare.PID(), requests, http.StatusOK}
	}
	return kinds, nil
}

// get is a GET with each token.
func get(tokens []string, path string) (requests []load.Request) {
	for _, token := range tokens {
		requests = append(requests, load.Request{Path: path, Token: token})
	}
	return requests
}

// pin moves this process, and so the children that it will have, to one half of the processors, if taskset is
// available, and returns what a command begins with to have the other half.
func pin(ctx context.Context) (command []string, err error) {
	n := runtime.NumCPU()
	if _, err := exec.LookPath("taskset"); err != nil || n < 2 {
		return nil, nil //nolint:nilerr // not pinned
	}
	others, self := fmt.Sprintf("%d-%d", n/2, n-1), strconv.Itoa(os.Getpid())
	out, err := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", others, self).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("taskset: %w: %s", err, out)
	}
	return []string{"taskset", "-c", fmt.Sprintf("0-%d", n/2-1)}, nil
}

// bareCaddy builds a Caddy without anything of the gateway's.
func bareCaddy(ctx context.Context, dir string) (*devstack.Program, error) {
	root, err := devstack.FindRoot()
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "barecaddy")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./internal/caddy/barecaddy")
	build.Dir = filepath.Join(root, "gateway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build a bare Caddy: %w:\n%s", err, out)
	}
	free, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return nil, err
	}
	return &devstack.Program{
		Name: "bare", LogDir: dir, Env: []string{"GATEWAY_ADDRESS=" + devstack.Port(free[0])},
		Address: free[0], Inner: free[0], // it responds 200 on every path, /readyz too
		Command: []string{
			binary, "run", "--adapter", "caddyfile", "--config", filepath.Join(root, "deploy/lab/bench/bare.Caddyfile"),
		},
	}, nil
}
