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
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// clusterConfig describes a Cluster.
type clusterConfig struct {
	dir       string // of the cluster; created if missing
	logDir    string
	port      string // loopback address
	password  string
	throwAway bool // for tests: no fsync, many connections
	log       io.Writer
}

// Cluster is a private Postgres.
type Cluster struct {
	URL string // a DSN of its owner

	running *Process // nil until it was started
	config  clusterConfig
	bin     string // the directory of its binaries
	owner   Owner
}

// StartCluster creates and starts a cluster in a temporary directory, for tests
// without waiting for the disk.
func StartCluster(ctx context.Context, log io.Writer, throwAway bool) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "quayside-cluster-")
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	c, err := startPostgres(ctx, clusterConfig{
		dir: filepath.Join(dir, "postgres"), logDir: dir, port: address, password: rand.Text(), throwAway: throwAway,
		log: log,
	})
	if err != nil {
		return nil, errors.Join(err, c.Stop(), Clean(dir))
	}
	return c, nil
}

// Close stops a cluster of StartCluster and removes its data.
func (s *Cluster) Close() error { return errors.Join(s.Stop(), Clean(s.config.logDir)) }

// startPostgres starts a private cluster, and creates it first if it is new.
func startPostgres(ctx context.Context, c clusterConfig) (*Cluster, error) {
	bin, err := postgresBinaries(ctx, c.log)
	if err != nil {
		return nil, err
	}
	s := &Cluster{config: c, bin: bin}
	s.URL = (&url.URL{
		Scheme: "postgres", User: url.UserPassword("postgres", c.password),
		Host: c.port, Path: "/postgres", RawQuery: "sslmode=disable",
	}).String()
	if s.owner, err = ClusterOwner(); err != nil {
		return nil, err
	}
	if s.config.dir, err = s.owner.place(c.dir); err != nil {
		return nil, err
	}
	return s, s.restart(ctx)
}

// restart starts the cluster with its data.
func (s *Cluster) restart(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.config.dir, "PG_VERSION")); errors.Is(err, fs.ErrNotExist) {
		if err := s.initialize(ctx); err != nil {
			return err
		}
	}
	s.endStale(ctx)
	host, port, _ := net.SplitHostPort(s.config.port)
	args := []string{"-D", s.config.dir, "-h", host, "-p", port, "-k", "", "-c", "max_connections=100"}
	if s.config.throwAway {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300")
	}
	//nolint:gosec,noctx // G204: our own arguments; it outlives the start and is stopped by Stop
	cmd := exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.owner.Become(cmd)
	p, err := StartProcess("postgres", s.config.logDir, cmd)
	if err != nil {
		return err
	}
	p.quit = os.Interrupt // Postgres's fast shutdown: ends sessions, keeps all that was committed
	s.running = p
	_, _ = fmt.Fprintf(s.config.log, "postgres  %s at %s\n", s.bin, s.config.port)
	return p.Await(ctx, func() error { return ping(ctx, s.URL) })
}

// Stop stops it; the data stays.
func (s *Cluster) Stop() error {
	if s == nil {
		return nil
	}
	return s.running.Stop()
}

// initialize creates the cluster.
func (s *Cluster) initialize(ctx context.Context) error {
	pwfile := filepath.Join(filepath.Dir(s.config.dir), ".pgpass-"+filepath.Base(s.config.dir))
	if err := s.owner.Write(pwfile, s.config.password); err != nil {
		return err
	}
	defer func() { _ = os.Remove(pwfile) }()
	//nolint:gosec // G204: our own arguments
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "initdb"), "-D", s.config.dir, "-U", "postgres",
		"--auth=scram-sha-256", "--pwfile="+pwfile, "--encoding=UTF8", "--locale=C", "--no-instructions")
	s.owner.Become(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w:\n%s", err, out)
	}
	return nil
}

// endStale stops a Postgres that a killed stack left running on this data.
func (s *Cluster) endStale(ctx context.Context) {
	//nolint:gosec // G204: our own arguments
	stop := exec.CommandContext(ctx, filepath.Join(s.bin, "pg_ctl"), "-D", s.config.dir, "-m", "fast", "-w", "stop")
	s.owner.Become(stop)
	_ = stop.Run() // usually none runs; one that cannot be stopped makes the start fail
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
		if refused, ok := errors.AsType[*pq.Error](err); err != nil && (!ok || refused.Code != pqerror.DuplicateDatabase) {
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
