package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// injection injects a fault and returns what heals it.
type injection func(context.Context, *testbed) (heal, error)

type heal func(context.Context) error

// onLinks changes links and changes them back.
func onLinks(names []string, worse, better func(context.Context, *link) error) injection {
	return func(ctx context.Context, b *testbed) (heal, error) {
		all := func(ctx context.Context, change func(context.Context, *link) error) (err error) {
			for _, name := range names {
				err = errors.Join(err, change(ctx, b.links[name]))
			}
			return err
		}
		return func(ctx context.Context) error { return all(ctx, better) }, all(ctx, worse)
	}
}

// unplugged closes connections and refuses new ones.
func unplugged(names ...string) injection {
	return onLinks(names, func(_ context.Context, l *link) error { l.Stop(); return nil },
		func(_ context.Context, l *link) error { return l.Start() })
}

// hung accepts connections and bytes and never responds.
func hung(names ...string) injection {
	const silence = `{"name": %q, "type": "timeout", "stream": %[1]q, "attributes": {"timeout": 0}}`
	streams := []string{"upstream", "downstream"}
	return onLinks(names, func(_ context.Context, l *link) (err error) {
		for _, stream := range streams {
			_, addErr := l.Toxics.AddToxicJson(strings.NewReader(fmt.Sprintf(silence, stream)))
			err = errors.Join(err, addErr)
		}
		return err
	}, func(ctx context.Context, l *link) (err error) {
		for _, stream := range streams {
			err = errors.Join(err, l.Toxics.RemoveToxic(ctx, stream))
		}
		return err
	})
}

// stopped stops a server, and the links to it, whose proxies would accept
// connections that its machine refuses.
func stopped(stop func(*testbed) error, start func(context.Context, *testbed) error, links []string) injection {
	return func(ctx context.Context, b *testbed) (heal, error) {
		plugIn, err := unplugged(links...)(ctx, b)
		restart := func(ctx context.Context) error { return errors.Join(start(ctx, b), plugIn(ctx)) }
		return restart, errors.Join(err, stop(b))
	}
}

// killed is SIGKILL to a program.
func killed(name string, links ...string) injection {
	return stopped(func(b *testbed) error { return b.stack.Program(name).Kill() },
		func(ctx context.Context, b *testbed) error { return b.stack.Program(name).Start(ctx) }, links)
}

var (
	redisGone = stopped(func(b *testbed) error { return b.stack.StopRedis() },
		func(ctx context.Context, b *testbed) error { return b.stack.StartRedis(ctx) }, toRedis)
	postgresRestarted = stopped(func(b *testbed) error { return b.stack.StopPostgres() },
		func(ctx context.Context, b *testbed) error { return b.stack.StartPostgres(ctx) }, toPostgres)
)

// redisReadOnly is a failover of which the gateway does not know: Redis becomes
// a read-only replica.
func redisReadOnly(ctx context.Context, b *testbed) (heal, error) {
	options, err := redis.ParseURL(b.stack.RedisURL)
	if err != nil {
		return nil, err
	}
	follow := func(ctx context.Context, host, port string) error {
		client := redis.NewClient(options)
		return errors.Join(client.Do(ctx, "REPLICAOF", host, port).Err(), client.Close())
	}
	return func(ctx context.Context) error { return follow(ctx, "NO", "ONE") }, follow(ctx, "127.0.0.1", "1")
}

// postgresClosed closes both databases, as the documented restore does.
func postgresClosed(ctx context.Context, b *testbed) (heal, error) {
	admin := strings.Replace(b.stack.DSN("shipments"), "/shipments?", "/postgres?", 1)
	allow := func(ctx context.Context, allow bool) (err error) {
		db, err := sql.Open("postgres", admin)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		for _, name := range []string{"shipments", "tokens"} {
			_, err := db.ExecContext(ctx, fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", name, allow))
			if err != nil {
				return err
			}
		}
		_, err = db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE NOT $1 AND datname IN ('shipments', 'tokens')`, allow)
		return err
	}
	return func(ctx context.Context) error { return allow(ctx, true) }, allow(ctx, false)
}

// wait waits for a duration that is part of a fault or of the load.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
