package devstack

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// clusterConfig describes a Cluster.
type clusterConfig struct {
	state     string // the state directory that it is of
	logDir    string
	address   string // on loopback
	password  string
	throwAway bool // for tests: no fsync, many connections
	log       io.Writer
	bundled   string // the directory of binaries that came with the product
	args      []string
}

// Cluster is a private Postgres.
type Cluster struct {
	URL string // a DSN of its owner
	Dir string // of its data

	running *Process // nil until it was started
	config  clusterConfig
	bin     string // of its binaries
	owner   owner
}

// StartCluster creates and starts a cluster for tests, which does not wait for
// the disk, in a temporary directory. args are further arguments of postgres.
func StartCluster(ctx context.Context, log io.Writer, args ...string) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "quayside-cluster-")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	c, err := startPostgres(ctx, clusterConfig{
		state: dir, logDir: dir, address: address, password: rand.Text(), throwAway: true, log: log,
		args: args,
	})
	if err != nil {
		return nil, errors.Join(err, c.Stop(), Clean(dir))
	}
	return c, nil
}

// Close stops a cluster of StartCluster and removes its data.
func (s *Cluster) Close() error { return errors.Join(s.Stop(), Clean(s.config.state)) }

// startPostgres starts a private cluster, and creates it first if it is new.
func startPostgres(ctx context.Context, c clusterConfig) (s *Cluster, err error) {
	s = &Cluster{config: c, Dir: clusterDir(c.state), URL: (&url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", c.password),
		Host: c.address, Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()}
	if s.bin, err = postgresBinaries(ctx, c.bundled, c.log); err != nil {
		return s, err
	}
	if s.owner, err = clusterOwner(); err != nil {
		return s, err
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "PG_VERSION")); errors.Is(err, fs.ErrNotExist) {
		if err := s.initialize(ctx); err != nil {
			return s, err
		}
	}
	return s, s.Start(ctx)
}

// Start starts the cluster with its data. A Postgres that a killed stack left running on them is stopped first.
func (s *Cluster) Start(ctx context.Context) error {
	stop := s.program(ctx, "pg_ctl", "-D", s.Dir, "-m", "fast", "-w", "stop")
	_ = stop.Run() // usually none runs; one that cannot be stopped makes the start fail
	host, port, _ := net.SplitHostPort(s.config.address)
	args := []string{"-D", s.Dir, "-h", host, "-p", port, "-k", "", "-c", "max_connections=100"}
	if s.config.throwAway {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300")
	}
	args = append(args, s.config.args...)
	p, err := startProcess("postgres", s.config.logDir, s.program(context.WithoutCancel(ctx), "postgres", args...))
	if err != nil {
		return err
	}
	p.quit = os.Interrupt // Postgres's fast shutdown: ends sessions, keeps all that was committed
	s.running = p
	_, _ = fmt.Fprintf(s.config.log, "postgres  %s at %s\n", s.bin, s.config.address)
	return p.Await(ctx, func() error { return ping(ctx, s.URL) })
}

// Stop stops it; the data stays.
func (s *Cluster) Stop() error {
	if s == nil {
		return nil
	}
	return s.running.Stop()
}

// program is one of Postgres's programs, as the owner.
func (s *Cluster) program(ctx context.Context, name string, args ...string) *exec.Cmd {
	return s.Command(ctx, filepath.Join(s.bin, name), args...)
}

// Command is a program that runs as the owner.
func (s *Cluster) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // G204: our own arguments
	s.owner.become(cmd)
	return cmd
}

// initialize creates the cluster.
func (s *Cluster) initialize(ctx context.Context) error {
	passwords := filepath.Join(filepath.Dir(s.Dir), ".pgpass")
	if err := errors.Join(s.owner.mkdir(s.Dir), s.owner.write(passwords, s.config.password)); err != nil {
		return err
	}
	defer func() { _ = os.Remove(passwords) }()
	characters := "C.UTF-8" // with C, Postgres knows the cases of ASCII only
	if runtime.GOOS == "darwin" {
		characters = "en_US.UTF-8"
	}
	out, err := s.program(ctx, "initdb", "-D", s.Dir, "-U", "postgres", "--auth=scram-sha-256", "--pwfile="+passwords,
		"--encoding=UTF8", "--locale=C", "--lc-ctype="+characters, "--no-instructions").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w:\n%s", err, out)
	}
	return nil
}

func ping(ctx context.Context, dsn string) error {
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return db.PingContext(ctx)
}

// createDatabases creates missing databases on a server and returns a DSN for
// each.
func createDatabases(ctx context.Context, dsn string, names ...string) (map[string]string, error) {
	if err := ping(ctx, dsn); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	dsns := map[string]string{}
	for _, name := range names {
		_, err := db.ExecContext(ctx, "CREATE DATABASE "+name)
		refused, ok := errors.AsType[*pq.Error](err)
		if err != nil && (!ok || refused.Code != pqerror.DuplicateDatabase) {
			return nil, fmt.Errorf("database %s: %w", name, err)
		}
		u, err := url.Parse(dsn)
		if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
			return nil, errors.New("DATABASE_URL must be a postgres:// URL")
		}
		u.Path = "/" + name
		dsns[name] = u.String()
	}
	return dsns, nil
}
