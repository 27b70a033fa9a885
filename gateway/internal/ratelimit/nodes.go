package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/outage"
)

// nodes has a batcher for each master of Redis, so that one that hangs delays no windows but its own.
type nodes struct {
	client redis.UniversalClient
	memory *memory

	timeout      time.Duration // of an entry, from when it was queued
	flushTimeout time.Duration

	single   *batcher // of a Redis that is not a cluster, or of a cluster that does not reply
	batchers sync.Map // *batcher by address; one of a master that has left the cluster stays, unused
}

func newNodes(client redis.UniversalClient, memory *memory) *nodes {
	n := &nodes{client: client, memory: memory, timeout: Timeout, flushTimeout: flushTimeout()}
	n.single = n.newBatcher("rate limiter")
	return n
}

// newBatcher returns a batcher whose outages are logged under that name.
func (n *nodes) newBatcher(name string) *batcher {
	breaker := &circuitBreaker{onChange: outage.New(name).Note}
	return &batcher{nodes: n, queued: make(map[entryKey]*batchEntry), breaker: breaker}
}

// of returns the batcher of the master that has the window w of id.
func (n *nodes) of(ctx context.Context, id string, w window) *batcher {
	cluster, ok := n.client.(*redis.ClusterClient)
	if !ok {
		return n.single
	}
	master, err := cluster.MasterForKey(ctx, redisPrefix+w.key(id)) // a call of Redis only if no node has replied yet
	if err != nil {
		return n.single
	}
	address := master.Options().Addr
	known, ok := n.batchers.Load(address)
	if !ok {
		known, _ = n.batchers.LoadOrStore(address, n.newBatcher("rate limiter at "+address))
	}
	return known.(*batcher)
}

// close removes the circuit breakers from the metric.
func (n *nodes) close() {
	n.single.breaker.close()
	n.batchers.Range(func(_, b any) bool {
		b.(*batcher).breaker.close()
		return true
	})
}
