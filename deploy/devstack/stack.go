// Package devstack runs the whole product on one machine, on loopback, without
// containers: a real Postgres, a real Redis and the three programs, built from
// this tree. `make run`, the end-to-end tests and the benchmarks stand on it.
//
// Guarantees: when Start returns, the gateway answers, a token of the demo
// organization works and its person can sign in. Close stops all that Start started, in an order in which
// each program can finish what it is doing. A second Start over the same
// directory finds the same data, secrets and tokens.
//
// It is a development tool: its secrets are random but lie in files beside the
// data, and nothing is encrypted on the wire.
package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/quayside/quayside/deploy/collector"
)

// Options says where and how a stack runs.
type Options struct {
	Root        string    // the repository
	Dir         string    // where data, secrets and logs are kept
	Port        int       // the gateway's; 0 picks a free one
	DatabaseURL string    // an existing Postgres server; empty: start one
	RedisURL    string    // an existing Redis; empty: start one
	Race        bool      // build the programs with the race detector
	Debug       bool      // log at level debug
	Log         io.Writer // progress, a line a step

	Traces         bool   // start an OpenTelemetry collector, to which the programs send their spans
	TrustedProxies string // ranges whose X-Forwarded-For the gateway believes, separated by spaces
	// Environ, when set, is where the gateway's documented settings come from,
	// but for the addresses and secrets that the stack decides; os.LookupEnv.
	Environ func(name string) (string, bool)
	// SecondShipments adds a second shipments-svc under the name of the first.
	SecondShipments bool
	// Between, when set, puts itself between parts of the stack: it is to
	// listen where the link says and to pass on to the part itself. What it
	// starts must outlive the stack.
	Between func(Link) error
}

// Stack is a running product.
type Stack struct {
	URL      string // of the gateway, without a trailing slash
	RedisURL string
	Demo     Demo
	Traces   *collector.Collector // nil without Options.Traces

	opts     Options
	ports    ports
	secrets  secrets
	database *server // nil when it is not ours
	redis    stopper // nil when it is not ours
	programs []*Program
	control  control
	replicas replicas          // of shipments-svc
	dsn      map[string]string // by database name
}

// stopper is what a stack has to stop: a process, or a server within this one.
type stopper interface{ Stop() error }

// Start builds and starts everything. When it fails, nothing is left running.
func Start(ctx context.Context, opts Options) (_ *Stack, err error) {
	s := &Stack{opts: opts}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, dir := range []string{"log", "secrets"} {
		if err := os.MkdirAll(filepath.Join(opts.Dir, dir), 0o700); err != nil {
			return s, err
		}
	}
	if s.ports, err = choosePorts(ctx, opts.Port); err != nil {
		return s, err
	}
	s.URL = "http://" + s.ports.gateway
	if s.secrets, err = loadSecrets(filepath.Join(opts.Dir, "secrets")); err != nil {
		return s, err
	}
	if opts.Traces {
		if s.Traces, err = collector.Start(ctx); err != nil {
			return s, err
		}
	}
	count := 1
	if opts.SecondShipments {
		count = 2
	}
	if s.replicas, err = findReplicas(ctx, opts.Dir, count); err != nil {
		return s, err
	}
	if err := s.startState(ctx); err != nil {
		return s, err
	}
	if err := s.startPrograms(ctx); err != nil {
		return s, err
	}
	if err := s.writeHandle(); err != nil {
		return s, err
	}
	if err := s.awaitPages(ctx); err != nil {
		return s, err
	}
	return s, s.seed(ctx)
}

// startState brings up Postgres, with its databases, and Redis.
func (s *Stack) startState(ctx context.Context) (err error) {
	url := s.opts.DatabaseURL
	if url == "" {
		config := serverConfig{
			dir: filepath.Join(s.opts.Dir, "postgres"), logDir: s.LogDir(),
			port: s.ports.postgres, password: s.secrets.postgres, log: s.opts.Log,
		}
		if s.database, err = startPostgres(ctx, config); err != nil {
			return err
		}
		url = s.database.url
	}
	if s.dsn, err = createDatabases(ctx, url, "shipments", "tokens"); err != nil {
		return err
	}
	s.RedisURL = s.opts.RedisURL
	if s.RedisURL == "" {
		err = s.StartRedis(ctx)
	}
	return err
}

// logLevel is that of all programs.
func (s *Stack) logLevel() string {
	if s.opts.Debug {
		return "debug"
	}
	return "info"
}

// Program returns a program by its name, so that a test can stop and restart it.
func (s *Stack) Program(name string) *Program {
	i := slices.IndexFunc(s.programs, func(p *Program) bool { return p.name == name })
	if i < 0 {
		panic("devstack: no program " + name)
	}
	return s.programs[i]
}

// Programs are all programs, in the order in which they were started.
func (s *Stack) Programs() []*Program { return slices.Clone(s.programs) }

// DSN leads to a database without anything between; name is that of the
// service, "shipments" or "tokens".
func (s *Stack) DSN(name string) string { return s.dsn[name] }

// StopRedis ends the Redis that Start started.
func (s *Stack) StopRedis() error { return s.redis.Stop() }

// StartRedis brings it back, empty, at the same address.
func (s *Stack) StartRedis(ctx context.Context) (err error) {
	s.redis, s.RedisURL, err = startRedis(ctx, "redis", s.ports.redis, s.LogDir(), s.opts.Log)
	return err
}

// StopPostgres ends the Postgres that Start started.
func (s *Stack) StopPostgres() error { return s.database.Stop() }

// StartPostgres brings it back, with its data, at the same address.
func (s *Stack) StartPostgres(ctx context.Context) error { return s.database.restart(ctx) }

// StandByPostgres brings it back as a standby: it answers, and refuses to
// write until it is told to take over, with pg_promote.
func (s *Stack) StandByPostgres(ctx context.Context) error { return s.database.standBy(ctx) }

// Wait returns nil when ctx ends, or tells which program ended by itself.
func (s *Stack) Wait(ctx context.Context) error {
	ended := make(chan string, len(s.programs))
	for _, p := range s.programs {
		go func() {
			select {
			case <-p.process.done:
				ended <- p.name
			case <-ctx.Done():
			}
		}()
	}
	select {
	case <-ctx.Done():
		return nil
	case name := <-ended:
		return fmt.Errorf("%s ended by itself:\n%s", name, s.Program(name).process.tail())
	}
}

// Close stops the programs, last started first, then Redis and Postgres.
func (s *Stack) Close() error {
	errs := []error{s.control.stop()}
	for _, p := range slices.Backward(s.programs) {
		errs = append(errs, p.Stop())
	}
	if s.redis != nil {
		errs = append(errs, s.redis.Stop())
	}
	if s.database != nil {
		errs = append(errs, s.database.Stop())
	}
	if s.Traces != nil {
		errs = append(errs, s.Traces.Close())
	}
	return errors.Join(errs...)
}

// LogDir is where each program's log lies, as NAME.log.
func (s *Stack) LogDir() string { return filepath.Join(s.opts.Dir, "log") }

func (s *Stack) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.opts.Log, format+"\n", args...)
}
