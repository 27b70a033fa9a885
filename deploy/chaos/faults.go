package main

import (
	"context"
	"slices"
	"time"
)

// fault is one row of the table of faults.
type fault struct {
	part string // component: a row of the table of promises
	name string
	// lasts is its duration after the injection.
	lasts time.Duration
	// changes is how often it begins; 0 means once.
	changes   int
	gateway   gatewayEffect
	injection injection
	// prepare, if not nil, runs before the load begins; its result runs after
	// the observation.
	prepare func(context.Context, *topology) (recovery, error)
	own     []promise // in addition to those that hold everywhere
}

// gatewayEffect is the effect of a fault on the gateway itself, which excuses
// some failed requests.
type gatewayEffect int

const (
	gatewayUnaffected gatewayEffect = iota
	gatewayStops                    // connections may be refused
	gatewayKilled                   // requests in flight are lost
	gatewayReloads                  // connections may be reset
)

// The rows of the table.
const (
	partNone      = "baseline"
	partRedis     = "Redis"
	partTokens    = "tokens-svc"
	partPostgres  = "Postgres"
	partShipments = "one of two shipments-svc"
	partRestarts  = "restarts"
	partGateway   = "gateway"
	partRest      = "the rest"
)

// promises are all promises about a fault.
func (f fault) promises() []promise { return slices.Concat(everywhere, f.own) }

// title names a fault.
func (f fault) title() string { return f.part + ": " + f.name }

// The links between the programs, as devstack names them.
var (
	toRedis     = []string{"gateway-redis"}
	toTokens    = []string{"gateway-tokens-inner", "gateway-tokens"}
	toPostgres  = []string{"tokens-postgres", "shipments-postgres"}
	toShipments = []string{"gateway-shipments-svc"} // one of two
)

// Durations of faults: long enough for some hundred requests, and for a replica
// longer than its ejection takes.
const (
	short    = 3 * time.Second
	long     = 5 * time.Second
	measured = 8 * time.Second  // for a p99 of a thousand
	stale    = 66 * time.Second // longer than an introspection result is cached
	flaps    = 3                // in short

	rounds = 5 // of a rolling restart
)

// When a program stops, its link is unplugged as well: its proxy would accept
// connections that the machine refuses.

// faults are all faults in order of injection, with the promises about them.
var faults = slices.Concat(
	[]fault{{part: partNone, name: "no fault", lasts: short, injection: tokenRevoked, own: []promise{servesOn, revokedWithin(longestRevoked)}}},
	row(partRedis, short, ofRedis,
		fault{name: "slow", injection: slowed(30*time.Millisecond, toRedis...)},
		fault{name: "too slow", injection: slowed(200*time.Millisecond, toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "unplugged", injection: unplugged(toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "hung", injection: hung(toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "flapping", injection: flapping(toRedis...), changes: flaps},
		fault{name: "garbage", injection: garbled(statusLine, toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "cut short", injection: cutShort(40, toRedis...)},
		fault{name: "sliced", injection: sliced(toRedis...)},
		fault{name: "failing over", injection: redisReadOnly, lasts: measured, own: ofRedisGone},
		fault{name: "restarted empty", injection: inOrder(redisRestarted, unplugged(toRedis...))},
		fault{name: "a key of the wrong type", injection: redisWrongType, prepare: redisCleaned, own: []promise{repairsKey}},
	),
	row(partTokens, short, ofTokens,
		fault{name: "slow", injection: slowed(150*time.Millisecond, toTokens...), own: []promise{looksUpOnce}},
		fault{name: "too slow", injection: slowed(time.Second, toTokens...), own: []promise{looksUpOnce}},
		fault{name: "unplugged", injection: unplugged(toTokens...)},
		fault{name: "hung", injection: hung(toTokens...), own: []promise{looksUpOnce}},
		fault{name: "flapping", injection: flapping(toTokens...), changes: flaps},
		fault{name: "garbage", injection: garbled(statusLine, toTokens...)},
		fault{name: "cut short", injection: cutShort(60, toTokens...)},
		fault{name: "sliced", injection: sliced(toTokens...)},
		fault{name: "killed", injection: inOrder(killed("tokens-svc"), unplugged(toTokens...))},
		fault{name: "unplugged for long", injection: inOrder(tokenRevoked, unplugged(toTokens...)), lasts: stale, own: []promise{servesToTheBound, revokedWithin(longestStale)}},
	),
	row(partPostgres, short, ofPostgres,
		fault{name: "slow", injection: slowed(100*time.Millisecond, toPostgres...)},
		fault{name: "too slow", injection: slowed(3*time.Second, toPostgres...)},
		fault{name: "unplugged", injection: unplugged(toPostgres...)},
		fault{name: "hung", injection: hung(toPostgres...)},
		fault{name: "flapping", injection: flapping(toPostgres...), changes: flaps},
		fault{name: "garbage", injection: garbled(messageType, toPostgres...)},
		fault{name: "cut short", injection: cutShort(400, toPostgres...)},
		fault{name: "sliced", injection: sliced(toPostgres...)},
		fault{name: "restarted", injection: inOrder(postgresRestarted, unplugged(toPostgres...))},
		fault{name: "sessions terminated repeatedly", injection: sessionsEnded, changes: flaps},
		fault{name: "failing over", injection: postgresStandby},
		fault{name: "out of connections", injection: outOfConnections},
	),
	row(partShipments, long, ofOneOfTwo,
		fault{name: "slow", injection: slowed(500*time.Millisecond, toShipments...)},
		fault{name: "too slow", injection: slowed(5*time.Second, toShipments...)},
		fault{name: "unplugged", injection: unplugged(toShipments...)},
		fault{name: "hung", injection: hung(toShipments...)},
		fault{name: "flapping", injection: flapping(toShipments...), changes: flaps + 2},
		fault{name: "garbage", injection: garbled(statusLine, toShipments...)},
		fault{name: "cut short", injection: cutShort(60, toShipments...)},
		fault{name: "sliced", injection: sliced(toShipments...)},
		fault{name: "killed", injection: inOrder(killed("shipments-svc"), unplugged(toShipments...))},
	),
	row(partRest, short, nil,
		fault{name: "disk full", injection: diskFull, own: []promise{refusesWrites}},
		fault{name: "1,000 half-open connections", injection: halfOpened, own: []promise{servesOn, closesHalfOpen}},
		fault{name: "gateway's log pipe blocked", injection: logBlocked, prepare: pipeLog("gateway"), own: []promise{servesOn}},
		fault{name: "shipments-svc's log pipe blocked", injection: logBlocked, prepare: pipeLog("shipments-svc"), own: []promise{servesOn}},
		fault{name: "tokens-svc's log pipe blocked", injection: logBlocked, prepare: pipeLog("tokens-svc"), own: []promise{servesOn}},
	),
	row(partRestarts, 0, ofRestarts,
		fault{name: "both shipments-svc in turn, 5 times", injection: stopped(rounds, "shipments-svc", "shipments-svc-2"), changes: 2 * rounds},
		fault{name: "configuration reloaded 20 times", injection: reconfigured, changes: reloads, gateway: gatewayReloads, own: []promise{resetsFew}},
		fault{name: "SIGTERM to the gateway", injection: stopped(1, "gateway"), gateway: gatewayStops},
	),
	row(partGateway, short, nil,
		fault{name: "killed", injection: killed("gateway"), gateway: gatewayKilled, own: []promise{losesOnlyInFlight}},
	),
)

// row sets what the faults of one component have in common.
func row(part string, lasts time.Duration, promises []promise, all ...fault) []fault {
	for i := range all {
		f := &all[i]
		f.part, f.own = part, slices.Concat(promises, f.own)
		if f.lasts == 0 {
			f.lasts = lasts
		}
	}
	return all
}
