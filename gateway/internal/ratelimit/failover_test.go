package ratelimit_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// perDay has windows that do not end during a test.
var perDay = ratelimit.Window{Limit: 100, Length: 24 * time.Hour}

// recovery is within what time counting continues, without a restart, after the replica has become the master. It takes
// about 2 s; a busy machine misses the timeouts of 50 ms, and each of the circuit breaker's probes is a second later.
const recovery = time.Minute

// newSentinels starts a master, a replica and three Sentinels, all with passwords. It returns the URL of the
// Sentinels, the master and the replica.
func newSentinels(t *testing.T) (rawURL string, master, replica *redisServer) {
	t.Helper()
	credentials := []string{aclUser, "requirepass master", "masterauth master"}
	master = startRedis(t, credentials...)
	host, port, _ := net.SplitHostPort(master.Addr)
	replica = startRedis(t, append(credentials, "replicaof "+host+" "+port, "repl-diskless-sync-delay 0")...)
	parsed := url.URL{Scheme: "redis", User: url.UserPassword("default", "sentinel")}
	query := url.Values{"master_name": {"limits"}, "username": {"gateway"}, "password": {"hunter2"}}
	for range 3 {
		sentinel := startSentinel(t, "requirepass sentinel", "sentinel monitor limits "+host+" "+port+" 2",
			"sentinel auth-pass limits master", "sentinel down-after-milliseconds limits 500",
			"sentinel failover-timeout limits 5000")
		if parsed.Host == "" {
			parsed.Host = sentinel.Addr
		} else {
			query.Add("addr", sentinel.Addr)
		}
		client := redis.NewSentinelClient(&redis.Options{Addr: sentinel.Addr, Password: "sentinel"})
		t.Cleanup(func() { _ = client.Close() })
		t.Cleanup(sentinel.Stop)
		eventually(t, "the Sentinel knows the replica", func() bool {
			replicas, err := client.Replicas(t.Context(), "limits").Result()
			return err == nil && len(replicas) == 1 && replicas[0]["master-link-status"] == "ok"
		})
	}
	parsed.RawQuery = query.Encode()
	return parsed.String(), master, replica
}

// newCluster starts three masters, and a replica of the first one. It returns the URL and the nodes, the replica last.
func newCluster(t *testing.T) (string, []*redisServer) {
	t.Helper()
	const nodes, slots = 4, 16384
	servers := make([]*redisServer, nodes)
	clients := make([]*redis.Client, nodes)
	for i := range servers {
		_, bus, _ := net.SplitHostPort(freeAddr(t))
		servers[i] = startRedis(t, "cluster-enabled yes", "cluster-port "+bus, "cluster-node-timeout 500",
			"cluster-replica-validity-factor 0", "repl-diskless-sync-delay 0", aclUser)
		clients[i] = servers[i].Client(t)
		host, port, _ := net.SplitHostPort(servers[i].Addr)
		if err := clients[0].Do(t.Context(), "cluster", "meet", host, port, bus).Err(); err != nil {
			t.Fatal(err)
		}
		if i < 3 {
			if err := clients[i].ClusterAddSlotsRange(t.Context(), i*slots/3, (i+1)*slots/3-1).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	knows := func(client *redis.Client, line string) bool {
		info, err := client.ClusterInfo(t.Context()).Result()
		return err == nil && strings.Contains(info, line)
	}
	eventually(t, "the nodes know each other", func() bool {
		for _, client := range clients {
			if !knows(client, "cluster_state:ok") || !knows(client, "cluster_known_nodes:"+strconv.Itoa(nodes)) {
				return false
			}
		}
		return true
	})
	first, err := clients[0].ClusterMyID(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := clients[3].ClusterReplicate(t.Context(), first).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica is in step", func() bool {
		info, err := clients[3].Info(t.Context(), "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	return "redis://gateway:hunter2@" + servers[1].Addr + "?addr=" + servers[2].Addr, servers
}

// Two gateways use windows while the master dies. Redis replicates asynchronously, so requests that only the dead
// master had counted may be allowed again: at most one further window for each id.
func TestCountingContinuesAfterAMasterDies(t *testing.T) {
	t.Parallel()

	for name, start := range map[string]func(*testing.T) (string, *redisServer, *redisServer){
		"Sentinel": newSentinels,
		"Cluster": func(t *testing.T) (string, *redisServer, *redisServer) {
			rawURL, nodes := newCluster(t)
			return rawURL, nodes[0], nodes[3]
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rawURL, master, replica := start(t)
			limiters := make([]*ratelimit.Limiter, 2)
			for i := range limiters {
				client, err := ratelimit.NewClient(rawURL)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = client.Close() })
				limiters[i] = ratelimit.New(client, ratelimit.Options{Replicas: 2}, time.Now)
				t.Cleanup(limiters[i].Close)
				waitForAll(t, limiters[i], time.Minute)
			}
			takeExactly(t, limiters, 10, 20, 10)
			ids := takeExactly(t, limiters, 100, 30, 60)
			waitForReplica(t, master.Addr)
			master.Stop()
			died := time.Now()
			allowed, _ := takeFromAll(t, limiters, ids, 100, 100)
			client := redis.NewClient(&redis.Options{Addr: replica.Addr, Username: "gateway", Password: "hunter2"})
			t.Cleanup(func() { _ = client.Close() })
			eventually(t, "the replica is the master", func() bool {
				return client.Set(t.Context(), replicaKey, "", 0).Err() == nil
			})
			elected := time.Now()
			for _, limiter := range limiters {
				waitForAll(t, limiter, recovery-time.Since(elected))
			}
			t.Logf("another master was elected %v after the first died, and counting continued %v later", elected.Sub(died),
				time.Since(elected))
			later, _ := takeFromAll(t, limiters, ids, 100, 100)
			if n := 60 + allowed.most + later.most; n > 200 {
				t.Errorf("%d of 100 were allowed", n)
			}
			takeExactly(t, limiters, 10, 20, 10)
		})
	}
}

// waitForReplica returns when a replica has what was written on a master, which replicates late.
func waitForReplica(t *testing.T, master string) {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: master})
	defer func() { _ = client.Close() }()
	conn := client.Conn()                      // WAIT is about the writes up to the connection's last one
	_ = conn.Auth(t.Context(), "master").Err() // which Sentinel's nodes ask for
	if err := conn.Set(t.Context(), replicaKey, "", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Wait(t.Context(), 1, 30*time.Second).Result(); n < 1 || err != nil {
		t.Fatal(n, err)
	}
}

// A cluster's client repeats pipelines by default, which would count requests twice.
func TestClusterCommandsAreRedirectedButNotRepeated(t *testing.T) {
	t.Parallel()

	rawURL, servers := newCluster(t)
	universal, err := ratelimit.NewClient(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	client := universal.(*redis.ClusterClient)
	t.Cleanup(func() { _ = client.Close() })
	client.Options().ReadTimeout = time.Minute
	var cut atomic.Bool
	client.Options().Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &cutConn{conn, &cut}, err
	}
	limiter := ratelimit.WithLongTimeout(ratelimit.New(client, deny, time.Now))
	take := func(id string, remaining int) {
		t.Helper()
		if result, err := limiter.Take(t.Context(), perDay.Of(id)); err != nil || result.Remaining != remaining {
			t.Errorf("%+v, %v, want %d remaining", result, err, remaining)
		}
	}

	id := ratelimit.TokenID()
	take(id, 99)
	cut.Store(true)
	if result, err := limiter.Take(t.Context(), perDay.Of(id)); !errors.Is(err, ratelimit.ErrUnavailable) {
		t.Errorf("%+v, %v without a reply", result, err)
	}
	take(id, 97)

	// The slot moves to another node, and the client has the old map of the slots.
	var key string
	var nodes []*redis.Client
	for _, server := range servers[:3] {
		node := server.Client(t)
		nodes = append(nodes, node)
		if keys, err := node.Keys(t.Context(), "rate:"+id+":*").Result(); err != nil {
			t.Fatal(err)
		} else if len(keys) == 1 {
			key = keys[0]
			if err := node.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	slot := nodes[0].ClusterKeySlot(t.Context(), key).Val()
	successor := nodes[(slot*3/16384+1)%3]
	for _, node := range nodes {
		if err := node.Do(t.Context(), "cluster", "setslot", slot, "node",
			successor.ClusterMyID(t.Context()).Val()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	take(id, 97)
	if n, err := successor.Exists(t.Context(), key).Result(); err != nil || n != 1 {
		t.Errorf("the successor has %d keys, %v", n, err)
	}
}

// cutConn is a connection that breaks instead of reading a reply when cut is set.
type cutConn struct {
	net.Conn

	cut *atomic.Bool
}

// Read implements net.Conn.
func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.cut.CompareAndSwap(true, false) {
		_ = c.Close()
		return 0, io.EOF
	}
	return n, err
}

// replicaKey is in one of the slots of the first master (818).
const replicaKey = "rate:d"

// newIDs returns ids that belong to all nodes of a cluster.
func newIDs() []string {
	ids := make([]string, 30)
	for i := range ids {
		ids[i] = ratelimit.TokenID()
	}
	return ids
}

// waitForAll waits until Redis counts the requests of windows on all nodes.
func waitForAll(t *testing.T, limiter *ratelimit.Limiter, within time.Duration) {
	t.Helper()
	for start := time.Now(); ; <-time.After(10 * time.Millisecond) {
		counted := 0
		ids := newIDs()
		for _, id := range ids {
			if result, err := limiter.Take(t.Context(), perMinute.Of(id)); err == nil && result.Source == ratelimit.Redis {
				counted++
			}
		}
		if counted == len(ids) {
			return
		}
		if time.Since(start) > within {
			t.Fatalf("within %v Redis counts %d of %d windows", within, counted, len(ids))
		}
	}
}

// bounds are the fewest and the most requests that were allowed for an id.
type bounds struct{ fewest, most int }

// takeExactly fails unless Redis allows want of the requests of takeFromAll, of each of new ids, which it returns. On a
// busy machine Redis may not respond in time, and a limiter allows a share of its own; then others are tried.
func takeExactly(t *testing.T, limiters []*ratelimit.Limiter, limit, n, want int) (ids []string) {
	t.Helper()
	for range 20 {
		ids = newIDs()
		allowed, local := takeFromAll(t, limiters, ids, limit, n)
		if !local {
			if allowed != (bounds{want, want}) {
				t.Errorf("%+v were allowed, want %d", allowed, want)
			}
			return ids
		}
		for _, limiter := range limiters {
			waitForAll(t, limiter, time.Minute)
		}
	}
	t.Fatal("Redis does not respond in time")
	return nil
}

// takeFromAll makes n requests of each id at each limiter, in windows of a day. It reports whether any was decided
// without Redis.
func takeFromAll(t *testing.T, limiters []*ratelimit.Limiter, ids []string, limit,
	n int,
) (allowedOfEach bounds, local bool) {
	t.Helper()
	var withoutRedis atomic.Bool
	allowed := make([][]int, len(limiters))
	var callers sync.WaitGroup
	for i, limiter := range limiters {
		allowed[i] = make([]int, len(ids))
		for j, id := range ids {
			callers.Go(func() {
				for range n {
					result, err := limiter.Take(t.Context(), ratelimit.Window{ID: id, Limit: limit, Length: perDay.Length})
					if err != nil {
						t.Error(err)
					}
					if result.Source == ratelimit.Local {
						withoutRedis.Store(true)
					}
					if result.Allowed {
						allowed[i][j]++
					}
				}
			})
		}
	}
	callers.Wait()
	all := bounds{fewest: len(limiters) * n}
	for j := range ids {
		sum := 0
		for i := range limiters {
			sum += allowed[i][j]
		}
		all = bounds{min(all.fewest, sum), max(all.most, sum)}
	}
	return all, withoutRedis.Load()
}
