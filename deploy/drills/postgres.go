package drills

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
)

const nodes = 3

// patroni is a Postgres cluster of three nodes with synchronous replication.
type patroni struct {
	dir   string
	etcd  *process
	nodes [nodes]*node
	dsn   string // of all nodes, over their links
}

type node struct {
	process    *process
	link       *link // from the services
	dir        string
	port, rest string
	env        []string
}

func startPatroni(ctx context.Context, root, dir string) (p *patroni, err error) {
	p = &patroni{dir: dir}
	owner, err := postgresUser()
	if err != nil {
		return p, err
	}
	if owner != nil {
		if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
			return p, err
		}
	}
	client, err1 := freePort(ctx)
	peer, err2 := freePort(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return p, err
	}
	at, peerAt := "http://127.0.0.1:"+client, "http://127.0.0.1:"+peer
	if p.etcd, err = spawn(dir, "etcd", nil, nil, "etcd", "--data-dir", filepath.Join(dir, "etcd"),
		"--listen-client-urls", at, "--advertise-client-urls", at, "--listen-peer-urls", peerAt,
		"--initial-advertise-peer-urls", peerAt, "--initial-cluster", "default="+peerAt, "--heartbeat-interval=50", "--election-timeout=500"); err != nil {
		return p, err
	}
	var ports []string
	config := filepath.Join(root, "deploy", "drills", "patroni.yml")
	local, err := os.ReadFile(config) //nolint:gosec // G304: our own file
	if err != nil {
		return p, err
	}
	config = filepath.Join(dir, "patroni.yml")                 // where the user of Postgres can read it
	if err := os.WriteFile(config, local, 0o644); err != nil { //nolint:gosec // G306: it has no secret
		return p, err
	}
	for i := range p.nodes {
		n := &node{dir: filepath.Join(dir, "data"+strconv.Itoa(i))}
		p.nodes[i] = n
		n.port, err1 = freePort(ctx)
		n.rest, err2 = freePort(ctx)
		if err := errors.Join(err1, err2); err != nil {
			return p, err
		}
		linked, err := freePort(ctx)
		if err != nil {
			return p, err
		}
		if n.link, err = startLink("127.0.0.1:"+linked, "127.0.0.1:"+n.port); err != nil {
			return p, err
		}
		ports = append(ports, linked)
		n.env = []string{
			"PATRONI_NAME=node" + strconv.Itoa(i), "PATRONI_ETCD3_HOSTS=127.0.0.1:" + client,
			"PATRONI_RESTAPI_LISTEN=127.0.0.1:" + n.rest, "PATRONI_RESTAPI_CONNECT_ADDRESS=127.0.0.1:" + n.rest,
			"PATRONI_POSTGRESQL_LISTEN=127.0.0.1:" + n.port, "PATRONI_POSTGRESQL_CONNECT_ADDRESS=127.0.0.1:" + n.port,
			"PATRONI_POSTGRESQL_DATA_DIR=" + n.dir, "PATRONI_POSTGRESQL_BIN_DIR=" + binaries(),
			"PATRONI_POSTGRESQL_PGPASS=" + filepath.Join(dir, "pgpass"+strconv.Itoa(i)),
			"PATRONI_SUPERUSER_USERNAME=postgres", "PATRONI_SUPERUSER_PASSWORD=drill",
			"PATRONI_REPLICATION_USERNAME=replicator", "PATRONI_REPLICATION_PASSWORD=drill",
		}
		if n.process, err = spawn(dir, "node"+strconv.Itoa(i), owner, n.env, "patroni", config); err != nil {
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

// binaries returns the directory of Postgres's programs on Debian.
func binaries() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// primary returns the node that its REST interface reports as primary.
func (p *patroni) primary(ctx context.Context) (*node, error) {
	for _, n := range p.nodes {
		if n == nil {
			continue
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+n.rest+"/primary", http.NoBody)
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

// pids returns Patroni's process and those of its Postgres.
func (n *node) pids() []int {
	all := family(n.process.cmd.Process.Pid)
	if text, err := os.ReadFile(filepath.Join(n.dir, "postmaster.pid")); err == nil {
		if pid, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(string(text), "\n", 2)[0])); err == nil {
			all = append(all, family(pid)...)
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
		owner, err := postgresUser()
		if err == nil {
			n.process, err = spawn(p.dir, filepath.Base(n.dir)+"-again", owner, n.env, "patroni", filepath.Join(p.dir, "patroni.yml"))
		}
		if err != nil {
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

func (p *patroni) stop() {
	if p == nil {
		return
	}
	for _, n := range p.nodes {
		if n != nil && n.process != nil {
			signal(n.pids(), syscall.SIGKILL)
			n.process.kill()
		}
		if n != nil {
			n.link.stop()
		}
	}
	p.etcd.kill()
}
