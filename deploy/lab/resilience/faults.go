package main

import "time"

// fault is one row of the table of faults.
type fault struct {
	title string
	// lasts is how long it stays after the injection.
	lasts  time.Duration
	inject injection
	// promises are in addition to those that hold everywhere.
	promises []promise
	// redis is whether counters of windows may be lost.
	redis bool
}

// The links between the programs, as devstack names them.
var (
	toRedis     = []string{"gateway-redis"}
	toTokens    = []string{"gateway-tokens-internal", "gateway-tokens"}
	toPostgres  = []string{"tokens-postgres", "shipments-postgres"}
	toShipments = []string{"gateway-shipments"}
)

// Durations of faults: long enough for some hundred requests.
const (
	short = 4 * time.Second
	long  = 8 * time.Second
)

// faults are all faults in order of injection, with the promises about them.
var faults = []fault{
	{title: "Redis hangs", lasts: long, inject: hung(toRedis...), promises: ofRedis, redis: true},
	{title: "Redis is gone and returns empty", lasts: long, inject: redisGone, promises: ofRedis, redis: true},
	{title: "Redis becomes read-only", lasts: long, inject: redisReadOnly, promises: ofRedis, redis: true},

	{title: "tokens-svc hangs", lasts: short, inject: hung(toTokens...), promises: ofTokens},
	{
		title: "tokens-svc is killed", lasts: short, inject: killed("tokens-svc", toTokens...),
		promises: ofTokens,
	},

	{title: "Postgres hangs", lasts: short, inject: hung(toPostgres...), promises: ofPostgres},
	{title: "Postgres is restarted", lasts: short, inject: postgresRestarted, promises: ofPostgres},
	{
		title: "Postgres accepts no connections, as while it is restored", lasts: short, inject: postgresClosed,
		promises: ofPostgres,
	},

	{title: "shipments-svc hangs", lasts: short, inject: hung(toShipments...)},
	{title: "shipments-svc is killed", lasts: short, inject: killed("shipments-svc", toShipments...)},
}
