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
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/deploy/bench/kernel"
	"github.com/quayside/quayside/deploy/bench/upstream"
	"github.com/quayside/quayside/deploy/test/devstack"
)

// The targets: the gateway as shipped, and what it is compared with.
const (
	gateway     = "gateway"
	bare        = "bare Caddy"     // only reverse_proxy
	ungated     = "ungated Caddy"  // the shipped Caddyfile without token_gate
	plainHTTP   = "Go HTTP server" // a server of net/http without work of its own
	scriptCalls = "script calls"   // no proxy: redis_rate's script once per request, for Redis's CPU
)

// testbed is the running programs of a measurement.
type testbed struct {
	settings     settings
	cores        cores
	dir          string
	stack        *devstack.Stack
	upstream     *upstream.Upstream
	servers      map[string]*devstack.Program
	redisPID     int
	redisVersion string
}

// start starts the stack, with an upstream in place of shipments-svc, and the
// programs to compare.
func start(ctx context.Context, s settings) (_ *testbed, err error) {
	r := &testbed{settings: s, servers: map[string]*devstack.Program{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.dir, err = os.MkdirTemp("", "quayside-bench-"); err != nil {
		return r, err
	}
	r.stack, err = devstack.Start(ctx, devstack.Options{Root: s.root, Dir: r.dir, Race: s.race, Log: s.log})
	if err != nil {
		return r, err
	}
	shipped := r.stack.Program("gateway")
	if err := shipped.Stop(); err != nil {
		return r, err
	}
	r.cores = cores{given: runtime.NumCPU()}
	if s.pin {
		r.cores = chooseCores()
		if err := r.pinServers(ctx); err != nil {
			return r, err
		}
	}
	if err := r.inspectRedis(ctx); err != nil {
		return r, err
	}
	if r.upstream, err = upstream.Listen(ctx); err != nil {
		return r, err
	}
	return r, r.startServers(ctx, shipped)
}

// pinServers moves this process and the servers behind the gateway off its
// cores. A process inherits its cores, so running servers are restarted.
func (r *testbed) pinServers(ctx context.Context) error {
	if err := pinSelf(ctx, r.cores.others); err != nil {
		return err
	}
	tokens := r.stack.Program("tokens-svc")
	return errors.Join(
		tokens.Stop(), r.stack.StopRedis(), r.stack.StopPostgres(),
		r.stack.StartPostgres(ctx), r.stack.StartRedis(ctx), tokens.Start(ctx),
	)
}

// inspectRedis reads the version and process id of Redis.
func (r *testbed) inspectRedis(ctx context.Context) error {
	options, err := redis.ParseURL(r.stack.RedisURL)
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	info, err := client.InfoMap(ctx, "server").Result()
	if err != nil {
		return err
	}
	r.redisVersion = info["Server"]["redis_version"]
	if r.redisPID, err = strconv.Atoi(info["Server"]["process_id"]); err != nil {
		return errors.New("bench needs redis-server: an in-process substitute has no CPU time of its own")
	}
	return nil
}

// startServers starts the programs to compare with the environment of the
// stack's gateway and the upstream.
func (r *testbed) startServers(ctx context.Context, shipped *devstack.Program) error {
	_, upstreamPort, _ := net.SplitHostPort(r.upstream.Address())
	env := append(shipped.Environ(), "SHIPMENTS_PORT="+upstreamPort, "GOGC="+gcPercent())
	if r.settings.profiles != "" {
		env = append(env, "DEBUG_ENDPOINTS=true")
	}
	caddyfile := filepath.Join(r.settings.root, "gateway", "Caddyfile")
	without, err := r.writeUngated(caddyfile)
	if err != nil {
		return err
	}
	caddy, err := r.buildBare(ctx)
	if err != nil {
		return err
	}
	for name, of := range map[string]struct{ binary, config string }{
		gateway: {shipped.Command[0], caddyfile}, ungated: {shipped.Command[0], without},
		bare: {caddy, filepath.Join(r.settings.root, "deploy", "bench", "bare.Caddyfile")},
	} {
		if err := r.serve(ctx, name, env, func(string) []string {
			return []string{of.binary, "run", "--adapter", "caddyfile", "--config", of.config}
		}); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return r.serve(ctx, plainHTTP, env, func(address string) []string { return []string{self, plainHTTPCommand, address} })
}

// buildBare builds a Caddy without anything of the gateway's.
func (r *testbed) buildBare(ctx context.Context) (binary string, err error) {
	binary = filepath.Join(r.dir, "barecaddy")
	//nolint:gosec // G204: our own arguments
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./internal/caddy/barecaddy")
	build.Dir = filepath.Join(r.settings.root, "gateway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build a bare Caddy: %w:\n%s", err, out)
	}
	return binary, nil
}

// serve starts a server on the gateway's cores and registers it by its name.
func (r *testbed) serve(ctx context.Context, name string, env []string, command func(address string) []string) error {
	addresses, err := devstack.FreeAddresses(ctx, 2)
	if err != nil {
		return err
	}
	public, inner := addresses[0], addresses[1]
	env = slices.Concat(env, []string{"GATEWAY_ADDRESS=" + port(public), "GATEWAY_INNER_ADDRESS=" + port(inner)})
	if name == bare || name == plainHTTP {
		inner = public // which answers 200 on every path
	}
	r.servers[name] = devstack.NewProgram(devstack.ProgramConfig{
		Name: name, Command: command(public), Env: env, Address: public, Inner: inner,
		LogDir: r.stack.LogDir(), Cores: r.cores.gateway,
	})
	return r.servers[name].Start(ctx)
}

// port returns the ":PORT" of an address.
func port(address string) string { return address[strings.LastIndexByte(address, ':'):] }

// writeUngated writes the shipped Caddyfile without the gate, and returns its path.
func (r *testbed) writeUngated(shipped string) (path string, err error) {
	text, err := os.ReadFile(shipped) //nolint:gosec // G304: of the repository
	if err != nil {
		return "", err
	}
	if !gateLines.Match(text) {
		return "", fmt.Errorf("%s has no line %s", shipped, gateLines)
	}
	text = gateLines.ReplaceAll(text, nil)
	// its patterns are relative to the file
	text = bytes.ReplaceAll(text, []byte("service_routes routes/"), []byte("service_routes "+filepath.Dir(shipped)+"/routes/"))
	path = filepath.Join(r.dir, "ungated.Caddyfile")
	return path, os.WriteFile(path, text, 0o600) //nolint:gosec // G703: our own directory
}

var gateLines = regexp.MustCompile(`(?m)^\s*import gate$|^\s*token_gate_ready$`)

// peaks returns the peak memory of each server, in bytes.
func (r *testbed) peaks() (map[string]int64, error) {
	peaks := map[string]int64{}
	for name, s := range r.servers {
		var err error
		if peaks[name], err = kernel.PeakMemory(s.PID()); err != nil {
			return nil, err
		}
	}
	return peaks, nil
}

// close stops everything and removes it.
func (r *testbed) close() error {
	var errs []error
	for _, s := range r.servers {
		errs = append(errs, s.Stop())
	}
	if r.upstream != nil {
		errs = append(errs, r.upstream.Close())
	}
	if r.stack != nil {
		errs = append(errs, r.stack.Close())
	}
	if r.dir != "" {
		errs = append(errs, devstack.Clean(r.dir))
	}
	return errors.Join(errs...)
}
