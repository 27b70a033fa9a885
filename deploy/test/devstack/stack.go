// Package devstack runs the whole product on loopback without containers:
// Postgres, Redis and the three programs, built from this tree. `make run`, the
// whole-product tests and the benchmarks use it.
//
// When Start returns, the gateway serves requests, a token of the demo
// organization works and its user can sign in. Close stops everything that Start
// started, in an order in which each program can drain. A later Start with the
// same directory finds the same data and tokens.
//
// It is a development tool: secrets are those of deploy/compose/demo, and connections are
// not encrypted.
package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Options configure a stack.
type Options struct {
	Dir         string    // where data and logs are kept
	Archive     string    // an unpacked archive of a release; empty: the repository, whose programs are built
	Port        int       // the gateway's; 0: a free one
	DatabaseURL string    // an existing Postgres server; empty: start one
	RedisURL    string    // an existing Redis; empty: start one
	Race        bool      // build the programs with the race detector
	ThrowAway   bool      // Postgres does not wait for the disk
	Log         io.Writer // progress, one line per step

	// Env has settings of the programs, except for addresses and secrets, which
	// the stack decides.
	Env []string
}

// Stack is a running product.
type Stack struct {
	URL string // of the gateway, without a trailing slash
	// PublicURL is that for browsers, which have passkeys for names only.
	PublicURL string
	RedisURL  string
	Demo      Demo

	opts     Options
	files    files
	ports    ports
	database *Cluster // nil when it is not ours
	programs []*Program
	dsn      map[string]string // by database name
	closers  []func() error    // in the order of the starts

	stopRedis func() error // nil when it is not ours
}

// Start builds and starts everything. If it fails, nothing is left running.
func Start(ctx context.Context, opts Options) (_ *Stack, err error) {
	s := &Stack{opts: opts}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.files, err = findFiles(opts.Archive); err != nil {
		return s, err
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return s, err
	}
	state, err := lockState(opts.Dir)
	if err != nil {
		return s, err
	}
	s.onClose(state.Close)
	for _, dir := range []string{"log", "services"} {
		if err := os.MkdirAll(filepath.Join(opts.Dir, dir), 0o700); err != nil {
			return s, err
		}
	}
	// without any file Caddy would warn at each start
	const note = "# The files of further services go into this directory.\n"
	if err := os.WriteFile(filepath.Join(s.ServicesDir(), "none.caddy"), []byte(note), 0o600); err != nil {
		return s, err
	}
	if s.ports, err = choosePorts(ctx, opts.Port); err != nil {
		return s, err
	}
	s.URL = "http://" + s.ports.gateway
	s.PublicURL = "http://localhost" + Port(s.ports.gateway)
	if err := checkServers(opts.Log, s.files.postgres, opts.DatabaseURL, opts.RedisURL); err != nil {
		return s, err
	}
	// The servers start while the programs are compiled.
	both, ctx2 := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		if s.files.programs == "" {
			s.files.programs, err = Build(ctx2, s.files.root, opts.Race, opts.Log)
		}
		return err
	})
	both.Go(func() error { return s.startState(ctx2) })
	if err := both.Wait(); err != nil {
		return s, err
	}
	if err := s.startPrograms(ctx); err != nil {
		return s, err
	}
	if err := s.Program("gateway").Await(ctx, func() error { return answers(ctx, s.URL+"/sign-in") }); err != nil {
		return s, err
	}
	return s, s.seed(ctx)
}

// startState starts Postgres, with its databases, and Redis.
func (s *Stack) startState(ctx context.Context) (err error) {
	url := s.opts.DatabaseURL
	if url == "" {
		config := clusterConfig{
			state: s.opts.Dir, logDir: s.LogDir(), address: s.ports.postgres, password: "demo-password",
			throwAway: s.opts.ThrowAway, log: s.opts.Log, bundled: s.files.postgres,
		}
		s.onClose(s.StopPostgres)
		if s.database, err = startPostgres(ctx, config); err != nil {
			return err
		}
		url = s.database.URL
	}
	if s.dsn, err = createDatabases(ctx, url, "shipments", "tokens"); err != nil {
		return err
	}
	s.RedisURL = s.opts.RedisURL
	if s.RedisURL == "" {
		s.onClose(s.StopRedis)
		err = s.StartRedis(ctx)
	}
	return err
}

// onClose lets Close call stop, before what was started earlier stops.
func (s *Stack) onClose(stop func() error) { s.closers = append(s.closers, stop) }

// Close stops the programs, last started first, then Redis and Postgres.
func (s *Stack) Close() error {
	var errs []error
	for _, stop := range slices.Backward(s.closers) {
		errs = append(errs, stop())
	}
	return errors.Join(errs...)
}

// secret returns the path of a secret of development mode.
func (s *Stack) secret(name string) string {
	return filepath.Join(s.files.secrets, name)
}

func (s *Stack) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.opts.Log, format+"\n", args...)
}
