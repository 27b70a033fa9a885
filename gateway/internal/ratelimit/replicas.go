package ratelimit

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// registerInterval is the time between two registrations of a gateway.
	registerInterval = 2 * time.Second
	// registrationLife is how long a gateway counts after its last registration.
	registrationLife = 10 * time.Second
	// registerTimeout bounds one registration, for which no request waits.
	registerTimeout = time.Second
	// replicasKey holds the ids of the gateways, sorted by when their registrations expire on Redis's clock.
	replicasKey = "rate:gateways"
)

// register registers the gateway ARGV[1] for ARGV[2] seconds and returns the number of registered gateways, and Redis's
// time.
var register = redis.NewScript(`
local now = redis.call('TIME')
redis.call('ZADD', KEYS[1], now[1] + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return {redis.call('ZCARD', KEYS[1]), tonumber(now[1]), tonumber(now[2])}`)

// replicas follows how many gateways share Redis. Each registers itself there.
type replicas struct {
	client redis.UniversalClient
	clock  *clock // each registration is a reading
	id     string
	known  atomic.Int64 // the last known number; 0 before the first registration

	failedAt time.Time // when a registration last failed
	begin    sync.Once
	stop     context.CancelFunc
	stopped  chan struct{}
}

// RegisterReplica registers this gateway in Redis until [Limiter.Close], and makes the local fallback divide limits by
// the number of registered gateways. While Redis is not available the last known number holds. Further calls do
// nothing.
func (l *Limiter) RegisterReplica() {
	l.replicas.begin.Do(func() {
		ctx, stop := context.WithCancel(context.Background())
		l.replicas.stop, l.replicas.stopped = stop, make(chan struct{})
		go l.replicas.loop(ctx)
	})
}

// close ends the registration. Other gateways see it with their next one.
func (r *replicas) close() {
	if r.stop != nil {
		r.stop()
		<-r.stopped
	}
}

func (r *replicas) loop(ctx context.Context) {
	defer close(r.stopped)
	tick := time.NewTicker(registerInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		r.register(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout())
	defer cancel()
	r.client.ZRem(ctx, replicasKey, r.id) // otherwise it expires
}

func (r *replicas) register(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, registerTimeout)
	defer cancel()
	start := r.clock.local()
	reply, err := register.Run(ctx, r.client, []string{replicasKey}, r.id, int(registrationLife/time.Second)).Int64Slice()
	if err != nil || len(reply) != 3 {
		r.failedAt = start
		return
	}
	r.clock.record(reply[1], reply[2], start)
	r.record(reply[0], start)
}

// record takes the number that a registration returned. For registrationLife after a failure it can only grow: Redis
// may have lost the registrations of other gateways, or they may have expired during an outage.
func (r *replicas) record(n int64, now time.Time) {
	if n >= r.known.Load() || now.Sub(r.failedAt) >= registrationLife {
		r.known.Store(n)
		replicasKnown.Set(float64(n))
	}
}

// count returns the number of gateways by which limits are divided: the last known number, at least floor and 1.
func (r *replicas) count(floor int) int { return max(int(r.known.Load()), floor, 1) }

func newReplicas(client redis.UniversalClient, clock *clock) *replicas {
	return &replicas{client: client, clock: clock, id: rand.Text()}
}
