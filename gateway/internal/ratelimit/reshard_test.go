package ratelimit_test

import (
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// TestTenGatewaysCountExactlyWhileSlotsMove: the windows of 30 tokens stay exact at each step of
// `redis-cli --cluster reshard`.
func TestTenGatewaysCountExactlyWhileSlotsMove(t *testing.T) {
	t.Parallel()

	rawURL, servers := newCluster(t)
	limiters := make([]*ratelimit.Limiter, 10)
	for i := range limiters {
		client, err := ratelimit.NewClient(rawURL)
		if err != nil {
			t.Fatal(err)
		}
		options := client.(*redis.ClusterClient).Options()
		options.ReadTimeout, options.DialTimeout, options.PoolTimeout = time.Minute, time.Minute, time.Minute
		limiters[i] = ratelimit.WithLongTimeout(ratelimit.New(client, ratelimit.Options{Replicas: 10}, time.Now))
		t.Cleanup(limiters[i].Close)
	}
	ids := newIDs()
	take := func(when string, each, want int) {
		t.Helper()
		if allowed, local := takeFromAll(t, limiters, ids, 100, each); local || allowed != (bounds{want, want}) {
			t.Errorf("%s: %+v of %d were allowed, want %d; without Redis: %t", when, allowed, 10*each, want, local)
		}
	}
	take("before", 3, 30)

	type move struct {
		slot     int64
		key      string
		from, to int
	}
	var moves []move
	masters, names := make([]*redis.Client, 3), make([]string, 3)
	for i := range masters {
		masters[i] = servers[i].Client(t)
		names[i] = masters[i].ClusterMyID(t.Context()).Val()
		for _, key := range masters[i].Keys(t.Context(), "rate:tok_*").Val() {
			moves = append(moves, move{masters[i].ClusterKeySlot(t.Context(), key).Val(), key, i, (i + 1) % 3})
		}
	}
	if len(moves) != len(ids) {
		t.Fatalf("%d windows are in Redis, want %d", len(moves), len(ids))
	}
	do := func(node int, args ...any) {
		t.Helper()
		if err := masters[node].Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(args, err)
		}
	}
	for _, m := range moves {
		do(m.to, "cluster", "setslot", m.slot, "importing", names[m.from])
		do(m.from, "cluster", "setslot", m.slot, "migrating", names[m.to])
	}
	take("with windows still on the first node", 3, 30)
	for _, m := range moves {
		host, port, _ := net.SplitHostPort(servers[m.to].Addr)
		do(m.from, "migrate", host, port, m.key, 0, 60_000)
	}
	take("with the first node redirecting (ASK)", 3, 30)
	for _, m := range moves {
		for _, node := range []int{m.to, m.from, (m.to + 1) % 3} {
			do(node, "cluster", "setslot", m.slot, "node", names[m.to])
		}
	}
	take("after", 15, 10)
}
