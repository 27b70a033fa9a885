// Drills loses parts of a product with replicated databases, one at a time under
// load, and prints each promise with what was observed: no acknowledged write is
// lost or stored twice, and service is back in time without intervention. The
// exit status is 1 for broken promises and 2 if a drill could not be run. The
// tests back up, restore and upgrade.
//
//	drills           everything, in about six minutes
//	drills REGEXP    drills whose name matches, such as Postgres
//
// A run needs Debian's packages postgresql, patroni, etcd-server, redis-server,
// redis-sentinel and haproxy, and two addresses of localhost or the right to
// unshare, for two replicas of shipments-svc.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/promises"
	"github.com/quayside/quayside/deploy/test/devstack"
)

func main() { promises.Main("drills", run) }

// A drill loses something. lose returns what restores it.
type drill struct {
	name   string
	within time.Duration // promised time until the last failed request
	redis  string        // what the gateways use, a key of infrastructure.redis
	lose   func(context.Context, *infrastructure) (restore func() error, err error)
}

// The Redises of an infrastructure.
const (
	sentinels    = "sentinels"
	redisCluster = "cluster"
	overLink     = "over a link"
)

var all = []drill{
	{"the Postgres primary is killed", 15 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) { return i.postgres.lose(ctx) }},
	{"the Postgres primary hangs", 15 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) { return i.postgres.freeze(ctx) }},
	{"the link to the Postgres primary is cut for 5 s", 10 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) {
		primary, err := i.postgres.primary(ctx)
		if err != nil {
			return nil, err
		}
		return primary.link.cutFor(ctx, cut)
	}},
	{"the Redis primary of the Sentinels is killed", 5 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) { return i.sentinel.lose(ctx) }},
	{"a primary of the Redis cluster is killed", 5 * time.Second, redisCluster, func(ctx context.Context, i *infrastructure) (func() error, error) { return i.cluster.lose(ctx) }},
	{"the link to Redis is cut for 5 s", 5 * time.Second, overLink, func(ctx context.Context, i *infrastructure) (func() error, error) {
		return i.redisLink.cutFor(ctx, cut)
	}},
	{"one of two gateways is killed", 5 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) { return killed(ctx, i.gateways[0]) }},
	{"one of two shipments-svc is killed", 5 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) {
		return killed(ctx, i.stack.Program("shipments-svc"))
	}},
	{"the link to one of two shipments-svc is cut for 5 s", 5 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) {
		return i.shipmentsLinks[0].cutFor(ctx, cut)
	}},
	{"tokens-svc is killed and started again", 5 * time.Second, sentinels, func(ctx context.Context, i *infrastructure) (func() error, error) {
		p := i.stack.Program("tokens-svc")
		return func() error { return nil }, errors.Join(p.Kill(), p.Start(ctx))
	}},
}

func killed(ctx context.Context, p *devstack.Program) (restore func() error, err error) {
	return func() error { return p.Start(ctx) }, p.Kill()
}

// haproxy is outside of PATH for users other than root.
const haproxy = "/usr/sbin/haproxy"

const (
	calm = 3 * time.Second // of load before a loss
	cut  = 5 * time.Second // how long links are cut
	rest = 5 * time.Second // of load after the promised time
)

// run runs the drills whose name matches, one after another. It returns
// promises.ErrBroken for broken promises, or an error that prevented the
// observation.
func run(ctx context.Context, root string, names *regexp.Regexp) (err error) {
	for _, program := range []string{"patroni", "etcd", "redis-server", "redis-sentinel", "redis-cli", haproxy} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w: apt-get install postgresql patroni python3-etcd etcd-server redis-server redis-sentinel redis-tools haproxy", err)
		}
	}
	dir, err := os.MkdirTemp("/var/tmp", "quayside-drills-")
	if err != nil {
		return err
	}
	i, err := startInfrastructure(ctx, root, dir)
	defer func() {
		err = errors.Join(err, i.stop())
		if err == nil {
			err = os.RemoveAll(dir)
		} else {
			_, _ = fmt.Fprintln(os.Stderr, "logs are in", dir)
		}
	}()
	if err != nil {
		return err
	}
	report := promises.NewReport(os.Stdout)
	for _, d := range all {
		if names.MatchString(d.name) {
			if err := i.run(ctx, d, report); err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
		}
	}
	return report.Close(dir)
}

// run runs one drill and reports it.
func (i *infrastructure) run(ctx context.Context, d drill, report *promises.Report) error {
	if err := i.useGateways(ctx, d.redis); err != nil {
		return err
	}
	token, err1 := i.stack.CreateToken(ctx, i.stack.Demo.Organization, "admin", "--limit", "1000000")
	limited, err2 := i.stack.CreateToken(ctx, i.stack.Demo.Organization, "shipments:read", "--limit", fmt.Sprint(limit))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	l := startLoad(ctx, "http://"+i.balancer, token.Secret, limited.Secret)
	defer l.stop()
	time.Sleep(calm)
	begun := time.Now()
	restore, err := d.lose(ctx, i)
	if err != nil {
		return err
	}
	time.Sleep(d.within + rest - time.Since(begun))
	l.stop()
	lost, twice, err := i.compare(ctx, l)
	if err != nil {
		return err
	}

	took := max(0, l.failed.Sub(begun))
	failures := make([]string, 0, len(l.failures))
	failed := 0
	for _, outcome := range slices.Sorted(maps.Keys(l.failures)) {
		failed += l.failures[outcome]
		failures = append(failures, fmt.Sprintf("%d × %s", l.failures[outcome], outcome))
	}
	admitted := 0
	for _, n := range l.admitted {
		admitted += n
	}
	report.Begin(d.name, "\n    %d requests, %d failed: %s", l.requests, failed, strings.Join(failures, ", "))
	report.Add("0 acknowledged writes are lost", lost == 0 && len(l.journal) > 0, fmt.Sprintf("%d of %d", lost, len(l.journal)))
	report.Add("no write is stored twice", twice == 0, fmt.Sprintf("%d of %d", twice, len(l.journal)))
	report.Add(fmt.Sprintf("the last failed request begins within %s", d.within), took <= d.within, took.Round(10*time.Millisecond).String())
	report.Add("a token has at most one window too many", admitted <= (len(l.admitted)+1)*limit,
		fmt.Sprintf("%d in %d windows of %d", admitted, len(l.admitted), limit))
	return restore()
}

// compare returns how many references of the journal are not stored, and how
// many are stored more than once.
func (i *infrastructure) compare(ctx context.Context, l *load) (lost, twice int, err error) {
	stored, err := i.database.QueryContext(ctx, `SELECT reference, count(*) FROM shipments WHERE reference LIKE $1 GROUP BY reference`, l.prefix+"-%")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, stored.Close()) }()
	counts := map[string]int{}
	for stored.Next() {
		var reference string
		var n int
		if err := stored.Scan(&reference, &n); err != nil {
			return 0, 0, err
		}
		if counts[reference] = n; n > 1 {
			twice++
		}
	}
	for reference := range l.journal {
		if counts[reference] == 0 {
			lost++
		}
	}
	return lost, twice, stored.Err()
}

// infrastructure is a product over replicated databases, with two gateways
// behind HAProxy.
type infrastructure struct {
	root, dir         string
	postgres          *patroni
	sentinel, cluster *redises
	single            *redises          // over redisLink
	redis             map[string]string // URLs, as the gateways take them
	redisLink         *link
	shipmentsLinks    []*link // from the gateways to each shipments-svc
	shipmentsPort     string  // of these links
	stack             *devstack.Stack
	database          *sql.DB // shipments
	gateways          []*devstack.Program
	used              string // Redis of the gateways
	haproxy           *devstack.Process
	balancer          string // address of HAProxy
}

func startInfrastructure(ctx context.Context, root, dir string) (i *infrastructure, err error) {
	i = &infrastructure{root: root, dir: dir}
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // G302: the user of Postgres enters it
		return i, err
	}
	_, _ = fmt.Fprintln(os.Stderr, "starting Patroni, Sentinels and a Redis cluster")
	if i.postgres, err = startPatroni(ctx, root, dir); err != nil {
		return i, err
	}
	if i.sentinel, err = startSentinel(ctx, dir); err != nil {
		return i, err
	}
	if i.cluster, err = startCluster(ctx, dir); err != nil {
		return i, err
	}
	i.redis = map[string]string{sentinels: i.sentinel.url, redisCluster: i.cluster.url}
	if err := i.linkRedis(ctx); err != nil {
		return i, err
	}
	i.stack, err = devstack.Start(ctx, devstack.Options{
		Root: root, Dir: filepath.Join(dir, "stack"), Log: os.Stderr, SecondShipments: true,
		DatabaseURL: i.postgres.dsn, RedisURL: i.sentinel.url, TrustedProxies: "127.0.0.1/32",
	})
	if err != nil {
		i.stack = nil // it has stopped everything
		return i, err
	}
	if err := i.linkShipments(ctx); err != nil {
		return i, err
	}
	if i.database, err = sql.Open("postgres", i.stack.DSN("shipments")); err == nil {
		i.database.SetMaxIdleConns(-1) // an idle connection could be to a primary that was lost
	}
	return i, err
}

// useGateways starts two gateways, which use one of the Redises, and HAProxy.
func (i *infrastructure) useGateways(ctx context.Context, redis string) (err error) {
	if i.used == redis {
		return nil
	}
	if err := i.stopGateways(); err != nil {
		return err
	}
	i.used = redis
	for n := range 2 {
		g, err := i.stack.StartGateway(ctx, fmt.Sprintf("gateway-%d", n+1), "REDIS_URL="+i.redis[redis], "SHIPMENTS_PORT="+i.shipmentsPort)
		if err != nil {
			return err
		}
		i.gateways = append(i.gateways, g)
	}
	free, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	i.balancer = free[0]
	env := []string{"LISTEN=" + i.balancer}
	for n, g := range i.gateways {
		env = append(env, fmt.Sprintf("GATEWAY_%d=%s", n+1, g.Address), fmt.Sprintf("GATEWAY_%d_INNER_PORT=%s", n+1, port(g.Inner)))
	}
	i.haproxy, err = spawn(i.dir, "haproxy", devstack.Owner{}, env, haproxy, "-f", filepath.Join(i.root, "deploy", "drills", "haproxy.cfg"))
	if err != nil {
		return err
	}
	l := &load{url: "http://" + i.balancer, token: i.stack.Demo.Token, failures: map[string]int{}}
	return waitUntil(ctx, "HAProxy", 30*time.Second, func() error {
		if got := l.send(ctx, http.MethodGet, "/api/v1/token", l.token, "", http.StatusOK); got.status != http.StatusOK {
			return errors.New("no 200 through HAProxy")
		}
		return nil
	})
}

func (i *infrastructure) stopGateways() (err error) {
	err = i.haproxy.Stop()
	for _, g := range i.gateways {
		err = errors.Join(err, g.Stop())
	}
	i.gateways = nil
	return err
}

func (i *infrastructure) stop() (err error) {
	err = i.stopGateways()
	if i.database != nil {
		err = errors.Join(err, i.database.Close())
	}
	if i.stack != nil {
		err = errors.Join(err, i.stack.Close())
	}
	err = errors.Join(err, i.sentinel.stop(), i.cluster.stop(), i.single.stop(), i.postgres.stop())
	for _, l := range append(i.shipmentsLinks, i.redisLink) {
		l.stop()
	}
	return err
}
