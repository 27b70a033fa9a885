package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
	"github.com/quayside/quayside/deploy/test/devstack"
)

const nodes = 3

// patroni is a Postgres cluster of three nodes with synchronous replication.
type patroni struct {
	dir, config string
	owner       devstack.Owner
	etcd        *devstack.Process
	nodes       [nodes]*node
	dsn         string // of all nodes, over their links
}

type node struct {
	process *devstack.Process
	link    *link // from the services
	dir     string
	rest    string // address of Patroni's REST interface
	env     []string
}

func startPatroni(ctx context.Context, root, dir string) (p *patroni, err error) {
	p = &patroni{dir: dir, config: filepath.Join(dir, "patroni.yml")}
	if p.owner, err = devstack.ClusterOwner(); err != nil {
		return p, err
	}
	config, err := os.ReadFile(filepath.Join(root, "deploy", "drills", "patroni.yml")) //nolint:gosec // G304: our own file
	if err := errors.Join(err, p.owner.Own(dir), p.owner.Write(p.config, string(config))); err != nil {
		return p, err
	}
	free, err := devstack.FreeAddresses(ctx, 2+3*nodes)
	if err != nil {
		return p, err
	}
	etcd, at, peerAt := free[0], "http://"+free[0], "http://"+free[1]
	if p.etcd, err = spawn(dir, "etcd", devstack.Owner{}, nil, "etcd", "--data-dir", filepath.Join(dir, "etcd"),
		"--listen-client-urls", at, "--advertise-client-urls", at, "--listen-peer-urls", peerAt,
		"--initial-advertise-peer-urls", peerAt, "--initial-cluster", "default="+peerAt, "--heartbeat-interval=50", "--election-timeout=500"); err != nil {
		return p, err
	}
	var ports []string
	for i := range p.nodes {
		own, linked := free[2+3*i], free[3+3*i]
		n := &node{dir: filepath.Join(dir, "data"+strconv.Itoa(i)), rest: free[4+3*i]}
		p.nodes[i] = n
		if n.link, err = startLink(linked, own); err != nil {
			return p, err
		}
		ports = append(ports, port(linked))
		n.env = []string{
			"PATRONI_NAME=node" + strconv.Itoa(i), "PATRONI_ETCD3_HOSTS=" + etcd,
			"PATRONI_RESTAPI_LISTEN=" + n.rest, "PATRONI_RESTAPI_CONNECT_ADDRESS=" + n.rest,
			"PATRONI_POSTGRESQL_LISTEN=" + own, "PATRONI_POSTGRESQL_CONNECT_ADDRESS=" + own,
			"PATRONI_POSTGRESQL_DATA_DIR=" + n.dir, "PATRONI_POSTGRESQL_BIN_DIR=" + devstack.FindPostgres(),
			"PATRONI_POSTGRESQL_PGPASS=" + filepath.Join(dir, "pgpass"+strconv.Itoa(i)),
			"PATRONI_SUPERUSER_USERNAME=postgres", "PATRONI_SUPERUSER_PASSWORD=drill",
			"PATRONI_REPLICATION_USERNAME=replicator", "PATRONI_REPLICATION_PASSWORD=drill",
		}
		if err := p.start(n); err != nil {
			return p, err
		}
		if i == 0 {
			if err := waitUntil(ctx, "the first node", 2*time.Minute, func() error { _, err := p.primary(ctx); return err }); err != nil {
				return p, err
			}
		}
	}
	p.dsn = fmt.Sprintf("postgres://postgres:drill@/postgres?host=127.0.0.1,127.0.0.1,127.0.0.1&port=%s&target_session_attrs=read-write&connect_timeout=1&sslmode=disable",
		strings.Join(ports, ","))
	return p, p.awaitStandbys(ctx, nodes-1)
}

// start starts a node with the data that it has.
func (p *patroni) start(n *node) (err error) {
	n.process, err = spawn(p.dir, filepath.Base(n.dir), p.owner, n.env, "patroni", p.config)
	return err
}

// primary returns the node that its REST interface reports as primary.
func (p *patroni) primary(ctx context.Context) (*node, error) {
	for _, n := range p.nodes {
		if n == nil {
			continue
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.rest+"/primary", http.NoBody)
		if err != nil {
			return nil, err
		}
		client := http.Client{Timeout: time.Second}
		if res, err := client.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return n, nil
			}
		}
	}
	return nil, errors.New("there is no primary")
}

// awaitStandbys waits for that many standbys, one of them synchronous.
func (p *patroni) awaitStandbys(ctx context.Context, want int) error {
	db, err := sql.Open("postgres", p.dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return waitUntil(ctx, "standbys", 3*time.Minute, func() error {
		var all, synchronous int
		if err := db.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync') FROM pg_stat_replication WHERE state = 'streaming'`).Scan(&all, &synchronous); err != nil {
			return err
		}
		if all < want || synchronous < 1 {
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
	all := slices.Clone(roots)
	for _, root := range roots {
		children, _ := kernel.Descendants(root) // without any of them there is nothing to signal
		for _, p := range children {
			all = append(all, p.PID)
		}
	}
	return all
}

// lose kills the primary's Postgres and its Patroni, like a host that fails.
func (p *patroni) lose(ctx context.Context) (restore func() error, err error) {
	n, err := p.primary(ctx)
	if err != nil {
		return nil, err
	}
	signal(n.pids(), syscall.SIGKILL)
	return func() error {
		if err := p.start(n); err != nil {
			return err
		}
		return p.awaitStandbys(ctx, nodes-1)
	}, nil
}

// freeze stops the primary's processes, which then hang with open connections.
func (p *patroni) freeze(ctx context.Context) (restore func() error, err error) {
	n, err := p.primary(ctx)
	if err != nil {
		return nil, err
	}
	pids := n.pids()
	signal(pids, syscall.SIGSTOP)
	return func() error {
		signal(pids, syscall.SIGCONT)
		return p.awaitStandbys(ctx, nodes-1)
	}, nil
}

func (p *patroni) stop() (err error) {
	if p == nil {
		return nil
	}
	for _, n := range p.nodes {
		if n == nil {
			continue
		}
		if n.process != nil {
			signal(n.pids(), syscall.SIGKILL)
			err = errors.Join(err, n.process.Stop())
		}
		n.link.stop()
	}
	return errors.Join(err, p.etcd.Stop())
}
