package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	_ "github.com/lib/pq" // database/sql's "postgres"

	"github.com/quayside/quayside/deploy/lab/proc"
	"github.com/quayside/quayside/deploy/test/devstack"
)

const nodes = 3

// patroni is a Postgres cluster of three nodes with synchronous replication.
type patroni struct {
	testbed *testbed
	config  string
	owner   devstack.Owner
	nodes   []*node
	dsn     string // of all nodes
}

type node struct {
	process *devstack.Process
	dir     string
	rest    string // address of Patroni's REST interface
	env     []string
}

func startPatroni(ctx context.Context, b *testbed) (p *patroni, err error) {
	p = &patroni{testbed: b, config: filepath.Join(b.dir, "patroni.yml")}
	if p.owner, err = devstack.ClusterOwner(); err != nil {
		return p, err
	}
	config, err := os.ReadFile(b.file("patroni.yml"))
	if err := errors.Join(err, p.owner.Own(b.dir), p.owner.Write(p.config, string(config))); err != nil {
		return p, err
	}
	free, err := devstack.FreeAddresses(ctx, 2+2*nodes)
	if err != nil {
		return p, err
	}
	at, peerAt := "http://"+free[0], "http://"+free[1]
	if _, err := b.spawn("etcd", devstack.Owner{}, nil, "etcd", "--data-dir", filepath.Join(b.dir, "etcd"),
		"--listen-client-urls", at, "--advertise-client-urls", at, "--listen-peer-urls", peerAt,
		"--initial-advertise-peer-urls", peerAt, "--initial-cluster", "default="+peerAt,
		"--heartbeat-interval=50", "--election-timeout=500"); err != nil {
		return p, err
	}
	var hosts, ports []string
	for i := range nodes {
		own, rest := free[2+2*i], free[3+2*i]
		n := &node{dir: filepath.Join(b.dir, "data"+strconv.Itoa(i)), rest: rest}
		n.env = []string{
			"PATRONI_NAME=node" + strconv.Itoa(i), "PATRONI_ETCD3_HOSTS=" + free[0],
			"PATRONI_RESTAPI_LISTEN=" + rest, "PATRONI_RESTAPI_CONNECT_ADDRESS=" + rest,
			"PATRONI_POSTGRESQL_LISTEN=" + own, "PATRONI_POSTGRESQL_CONNECT_ADDRESS=" + own,
			"PATRONI_POSTGRESQL_DATA_DIR=" + n.dir, "PATRONI_POSTGRESQL_BIN_DIR=" + devstack.FindPostgres(),
			"PATRONI_POSTGRESQL_PGPASS=" + filepath.Join(b.dir, "pgpass"+strconv.Itoa(i)),
			"PATRONI_SUPERUSER_USERNAME=postgres", "PATRONI_SUPERUSER_PASSWORD=lab",
			"PATRONI_REPLICATION_USERNAME=replicator", "PATRONI_REPLICATION_PASSWORD=lab",
		}
		hosts, ports = append(hosts, "127.0.0.1"), append(ports, devstack.Port(own)[1:])
		p.nodes = append(p.nodes, n)
		if err := p.start(n); err != nil {
			return p, err
		}
		if i == 0 { // so that the others are its standbys
			err := eventually(ctx, "the first node", 2*time.Minute, func() error { _, err := p.primary(ctx); return err })
			if err != nil {
				return p, err
			}
		}
	}
	p.dsn = fmt.Sprintf("postgres://postgres:lab@/postgres?host=%s&port=%s"+
		"&target_session_attrs=read-write&connect_timeout=1&sslmode=disable",
		strings.Join(hosts, ","), strings.Join(ports, ","))
	b.closers = append(b.closers, func() error { // before Patroni would stop its Postgres in order
		for _, n := range p.nodes {
			kill(syscall.SIGKILL, n.pids())
		}
		return nil
	})
	return p, p.awaitStandbys(ctx)
}

// start starts a node with the data that it has.
func (p *patroni) start(n *node) (err error) {
	n.process, err = p.testbed.spawn(filepath.Base(n.dir), p.owner, n.env, "patroni", p.config)
	return err
}

// primary returns the node that its REST interface reports as primary.
func (p *patroni) primary(ctx context.Context) (*node, error) {
	for _, n := range p.nodes {
		if s, _ := newClient("http://"+n.rest).do(ctx, call{path: "/primary"}); s.status == http.StatusOK {
			return n, nil
		}
	}
	return nil, errors.New("there is no primary")
}

// awaitStandbys waits until all other nodes are standbys, one of them synchronous.
func (p *patroni) awaitStandbys(ctx context.Context) error {
	db, err := sql.Open("postgres", p.dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return eventually(ctx, "standbys", 3*time.Minute, func() error {
		var all, synchronous int
		if err := db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync')
			FROM pg_stat_replication WHERE state = 'streaming'`).Scan(&all, &synchronous); err != nil {
			return err
		}
		if all < nodes-1 || synchronous < 1 {
			return fmt.Errorf("%d standbys, %d synchronous", all, synchronous)
		}
		return nil
	})
}

// pids returns Patroni's process and those of its Postgres, which has another parent.
func (n *node) pids() []int {
	roots := []int{n.process.PID()}
	if text, err := os.ReadFile(filepath.Join(n.dir, "postmaster.pid")); err == nil {
		line, _, _ := strings.Cut(string(text), "\n")
		if pid, err := strconv.Atoi(line); err == nil {
			roots = append(roots, pid)
		}
	}
	var all []int
	for _, root := range roots {
		family, _ := proc.Family(root) // without any of them there is nothing to signal
		for _, p := range family {
			all = append(all, p.PID)
		}
	}
	return all
}
