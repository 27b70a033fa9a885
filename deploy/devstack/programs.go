package devstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// Program is one of the three programs, built and running.
type Program struct {
	name    string
	args    []string // of serving
	env     []string
	outer   string // address of what came through the gateway
	inner   string // address of its /readyz
	binary  string
	logDir  string
	process *process
}

// startPrograms builds the programs, migrates the services' databases and
// starts all three.
func (s *Stack) startPrograms(ctx context.Context) error {
	credential := "GATEWAY_CREDENTIAL_FILE=" + s.secrets.credentialFile
	callers := "GATEWAY_PUBLIC_KEYS_FILE=" + s.secrets.publicKeyFile
	programs := []*Program{{
		name: "tokens-svc", args: []string{"serve"}, outer: s.ports.tokens, inner: s.ports.tokensInner,
		env: []string{
			"DATABASE_URL=" + s.dsn["tokens"], credential, callers, "TOKEN_PEPPERS_FILE=" + s.secrets.peppersFile,
			"LISTEN_ADDRESS=" + s.ports.tokens, "INNER_ADDRESS=" + s.ports.tokensInner,
			"LOG_LEVEL=" + s.logLevel(),
		},
	}, {
		name: "shipments-svc", args: []string{"serve"}, outer: s.ports.shipments, inner: s.ports.shipmentsInner,
		env: []string{
			"DATABASE_URL=" + s.dsn["shipments"], callers,
			"LISTEN_ADDRESS=" + s.ports.shipments, "INNER_ADDRESS=" + s.ports.shipmentsInner,
			"LOG_LEVEL=" + s.logLevel(),
		},
	}, {
		name: "gateway", inner: s.ports.gatewayInner,
		args: []string{"run", "--adapter", "caddyfile", "--config", filepath.Join(s.opts.Root, "gateway", "Caddyfile")},
		env: []string{
			credential, "GATEWAY_SIGNING_KEY_FILE=" + s.secrets.signingKeyFile, "REDIS_URL=" + s.RedisURL,
			"GATEWAY_BIND=127.0.0.1",
			"GATEWAY_ADDRESS=" + port(s.ports.gateway), "GATEWAY_INNER_ADDRESS=" + port(s.ports.gatewayInner),
			"TOKENS_INTERNAL_URL=http://" + s.ports.tokensInner,
			"TOKENS_PORT=" + port(s.ports.tokens)[1:], "SHIPMENTS_PORT=" + port(s.ports.shipments)[1:],
			"TRUSTED_PROXIES=" + s.opts.TrustedProxies, "LOG_LEVEL=" + s.logLevel(),
			"XDG_DATA_HOME=" + s.opts.Dir, "XDG_CONFIG_HOME=" + s.opts.Dir,
		},
	}}
	for _, p := range programs {
		p.binary, p.logDir = filepath.Join(s.opts.Dir, "bin", p.name), s.LogDir()
		s.say("building  %s", p.name)
		if err := p.build(ctx, s.opts.Root, s.opts.Race); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if p.args[0] == "serve" {
			if _, err := p.run(ctx, nil, "migrate", "up"); err != nil {
				return err
			}
		}
		if err := p.Start(ctx); err != nil {
			return errors.Join(err, p.Stop())
		}
		s.programs = append(s.programs, p)
		s.say("started   %s", p.name)
	}
	return nil
}

// build compiles the program with the flags that are used everywhere, so that
// what one build compiled the next one finds in the cache.
func (p *Program) build(ctx context.Context, root string, race bool) error {
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", p.binary}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if race {
		args = append(args, "-race")
		env = append(os.Environ(), "CGO_ENABLED=1")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/"+p.name)...) //nolint:gosec // G204: our own arguments
	cmd.Dir, cmd.Env = filepath.Join(root, p.name), env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w:\n%s", p.name, err, out)
	}
	return nil
}

// environ is the whole environment of the program: nothing of the
// developer's own leaks into it.
func (p *Program) environ() []string {
	return slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env)
}

// Start starts the program and waits until it is ready.
func (p *Program) Start(ctx context.Context) error {
	cmd := exec.Command(p.binary, p.args...) //nolint:gosec,noctx // G204: our own; stopped by Stop
	cmd.Env = p.environ()
	var err error
	if p.process, err = startProcess(p.name, p.logDir, cmd); err != nil {
		return err
	}
	return p.process.await(ctx, p.name, func() error { return p.ready(ctx) })
}

// Address returns where a service answers what came through the gateway, for
// tests of what happens to the rest.
func (p *Program) Address() string { return p.outer }

// Stop asks the program to drain and waits until it has ended.
func (p *Program) Stop() error {
	if p.process == nil {
		return nil
	}
	return p.process.Stop()
}

func (p *Program) ready(ctx context.Context) error { return answers(ctx, "http://"+p.inner+"/readyz") }

// answers returns nil when a GET of url answers 200.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", req.URL.Path, res.Status)
	}
	return nil
}
