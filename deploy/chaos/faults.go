package chaos

import (
	"context"
	"slices"
	"time"
)

// fault is one thing that breaks.
type fault struct {
	part string // of the product: a row of the table of promises
	name string
	// lasts is how long it stays. Zero: as long as the strike itself takes.
	lasts time.Duration
	// changes is how often it begins; one unless said.
	changes int
	gateway gatewayFate
	strike  strike
	// prepare, if any, arranges before the load begins what the fault needs;
	// what it returns runs when all has been seen.
	prepare func(context.Context, *rig) (heal, error)
	own     []promise // beside those that hold everywhere
}

// gatewayFate is what a fault does to the gateway itself, which excuses some
// requests from being answered.
type gatewayFate int

const (
	gatewayStays  gatewayFate = iota
	gatewayStops              // clients may find nobody at its address
	gatewayKilled             // and requests in it are lost
)

// The rows of the table.
const (
	partNone      = "nothing"
	partRedis     = "Redis"
	partTokens    = "tokens-svc"
	partPostgres  = "Postgres"
	partShipments = "one of two shipments-svc"
	partRestarts  = "restarts"
	partGateway   = "gateway"
	partRest      = "the rest"
)

// promises are all that are made about a fault.
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

// How long faults last: long enough to be met by some hundred requests, and
// for one of two longer than it may take to leave it out.
const (
	short    = 3 * time.Second
	long     = 5 * time.Second
	measured = 8 * time.Second  // for a p99 of a thousand
	blind    = 66 * time.Second // longer than an answer may be remembered
	flaps    = 3                // in short

	rounds = 5 // of a rolling restart
)

// Where a program ends its link is unplugged, too: a proxy would accept for it
// where the machine refuses.

// faults is what breaks, in turn, and what is promised about it: the table
// "what must hold when things break", row by row.
var faults = slices.Concat(
	[]fault{{part: partNone, name: "a calm day", lasts: short, strike: dooming, own: []promise{servesOn, revokedWithin(longestRevoked)}}},
	row(partRedis, short, ofRedis,
		fault{name: "slow", strike: slowed(30*time.Millisecond, toRedis...)},
		fault{name: "too slow", strike: slowed(200*time.Millisecond, toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "unplugged", strike: unplugged(toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "hung", strike: hung(toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "flapping", strike: flapping(toRedis...), changes: flaps},
		fault{name: "garbage", strike: garbled(statusLine, toRedis...), lasts: measured, own: ofRedisGone},
		fault{name: "cut short", strike: cutShort(40, toRedis...)},
		fault{name: "sliced", strike: sliced(toRedis...)},
		fault{name: "failing over", strike: redisReadOnly, lasts: measured, own: ofRedisGone},
		fault{name: "restarted empty", strike: both(redisRestarted, unplugged(toRedis...))},
		fault{name: "a key of the wrong type", strike: redisWrongType, prepare: redisCleaned, own: []promise{repairsKey}},
	),
	row(partTokens, short, ofTokens,
		fault{name: "slow", strike: slowed(150*time.Millisecond, toTokens...), own: []promise{looksUpOnce}},
		fault{name: "too slow", strike: slowed(time.Second, toTokens...), own: []promise{looksUpOnce}},
		fault{name: "unplugged", strike: unplugged(toTokens...)},
		fault{name: "hung", strike: hung(toTokens...), own: []promise{looksUpOnce}},
		fault{name: "flapping", strike: flapping(toTokens...), changes: flaps},
		fault{name: "garbage", strike: garbled(statusLine, toTokens...)},
		fault{name: "cut short", strike: cutShort(60, toTokens...)},
		fault{name: "sliced", strike: sliced(toTokens...)},
		fault{name: "killed", strike: both(killed("tokens-svc"), unplugged(toTokens...))},
		fault{name: "unplugged for long", strike: both(dooming, unplugged(toTokens...)), lasts: blind, own: []promise{servesToTheBound, revokedWithin(longestBlind)}},
	),
	row(partPostgres, short, ofPostgres,
		fault{name: "slow", strike: slowed(100*time.Millisecond, toPostgres...)},
		fault{name: "too slow", strike: slowed(3*time.Second, toPostgres...)},
		fault{name: "unplugged", strike: unplugged(toPostgres...)},
		fault{name: "hung", strike: hung(toPostgres...)},
		fault{name: "flapping", strike: flapping(toPostgres...), changes: flaps},
		fault{name: "garbage", strike: garbled(messageType, toPostgres...)},
		fault{name: "cut short", strike: cutShort(400, toPostgres...)},
		fault{name: "sliced", strike: sliced(toPostgres...)},
		fault{name: "restarted", strike: both(postgresRestarted, unplugged(toPostgres...))},
		fault{name: "sessions ended again and again", strike: sessionsEnded, changes: flaps},
		fault{name: "failing over", strike: postgresStandby},
		fault{name: "out of connections", strike: outOfConnections},
	),
	row(partShipments, long, ofOneOfTwo,
		fault{name: "slow", strike: slowed(500*time.Millisecond, toShipments...)},
		fault{name: "too slow", strike: slowed(5*time.Second, toShipments...)},
		fault{name: "unplugged", strike: unplugged(toShipments...)},
		fault{name: "hung", strike: hung(toShipments...)},
		fault{name: "flapping", strike: flapping(toShipments...), changes: flaps + 2},
		fault{name: "garbage", strike: garbled(statusLine, toShipments...)},
		fault{name: "cut short", strike: cutShort(60, toShipments...)},
		fault{name: "sliced", strike: sliced(toShipments...)},
		fault{name: "killed", strike: both(killed("shipments-svc"), unplugged(toShipments...))},
	),
	row(partRest, short, nil,
		fault{name: "disk full", strike: diskFull, own: []promise{refusesWrites}},
		fault{name: "1,000 half-open connections", strike: halfOpened, own: []promise{servesOn, closesHalfOpen}},
		fault{name: "gateway's log pipe blocked", strike: logBlocked, prepare: logPiped("gateway"), own: []promise{servesOn}},
		fault{name: "shipments-svc's log pipe blocked", strike: logBlocked, prepare: logPiped("shipments-svc"), own: []promise{servesOn}},
		fault{name: "tokens-svc's log pipe blocked", strike: logBlocked, prepare: logPiped("tokens-svc"), own: []promise{servesOn}},
	),
	row(partRestarts, 0, ofRestarts,
		fault{name: "both shipments-svc in turn, 5 times", strike: stopped(rounds, "shipments-svc", "shipments-svc-2"), changes: 2 * rounds},
		fault{name: "configuration reloaded 20 times", strike: reconfigured, changes: reloads},
		fault{name: "SIGTERM to the gateway", strike: stopped(1, "gateway"), gateway: gatewayStops},
	),
	row(partGateway, short, nil,
		fault{name: "killed", strike: killed("gateway"), gateway: gatewayKilled, own: []promise{losesOnlyInFlight}},
	),
)

// row fills in what the faults of one part have in common.
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
