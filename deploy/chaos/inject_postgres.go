package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/lib/pq"
)

// applicationName marks this program's own connections, which are not terminated.
const applicationName = "chaos"

// database opens the shipments database without a proxy.
func (r *topology) database() (*sql.DB, error) {
	dsn, err := url.Parse(r.stack.DSN("shipments"))
	if err != nil {
		return nil, err
	}
	query := dsn.Query()
	query.Set("application_name", applicationName)
	dsn.RawQuery = query.Encode()
	return sql.Open("postgres", dsn.String())
}

// execute runs statements there, one by one.
func (r *topology) execute(ctx context.Context, statements ...string) error {
	db, err := r.database()
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// messageType is the length of the type of a Postgres message. The four bytes
// after it are its length; corrupted, they make lib/pq allocate up to 4 GiB.
const messageType = 1

// postgresRestarted stops Postgres and restarts it with its data.
func postgresRestarted(_ context.Context, r *topology, _ *observation) (recovery, error) {
	return r.stack.StartPostgres, r.stack.StopPostgres()
}

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname IN ('shipments', 'tokens') AND application_name <> '` + applicationName + `'`

// sessionsEnded terminates every session of the services, as often as a link flaps.
func sessionsEnded(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	return repeated(ctx, flapDown+flapUp, func(ctx context.Context) error {
		return r.execute(ctx, endSessions)
	}), nil
}

// postgresStandby is a failover: Postgres becomes a read-only standby, which is
// then promoted.
func postgresStandby(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	return func(ctx context.Context) error { return r.execute(ctx, "SELECT pg_promote()") },
		errors.Join(r.stack.StopPostgres(), r.stack.StandByPostgres(ctx))
}

// outOfConnections takes every connection of Postgres, including those of the
// services.
func outOfConnections(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	db, err := r.database()
	if err != nil {
		return nothing, err
	}
	holder := &holder{db: db}
	release := repeated(ctx, 50*time.Millisecond, holder.takeAll)
	return func(ctx context.Context) error {
		return errors.Join(release(ctx), db.Close())
	}, nil
}

// holder holds connections until its pool is closed.
type holder struct {
	db   *sql.DB
	held []*sql.Conn
}

// takeAll opens connections until there are no more, and terminates the sessions
// of the services, whose slots it takes the next time.
func (t *holder) takeAll(ctx context.Context) error {
	for {
		conn, err := t.db.Conn(ctx)
		if refused, ok := errors.AsType[*pq.Error](err); ok && refused.Code == "53300" { // too_many_connections
			break
		}
		if err != nil {
			return err
		}
		t.held = append(t.held, conn)
	}
	_, err := t.held[0].ExecContext(ctx, endSessions)
	return err
}

// repeated calls do at an interval until the fault is removed.
func repeated(ctx context.Context, every time.Duration, do func(context.Context) error) recovery {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var failed error
	running.Go(func() {
		for failed == nil && ctx.Err() == nil {
			if err := do(ctx); ctx.Err() == nil {
				failed = err
			}
			wait(ctx, every)
		}
	})
	return func(context.Context) error {
		cancel()
		running.Wait()
		return failed
	}
}

// diskFull makes every insert fail with the error of a full disk. The disk is
// not filled.
func diskFull(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	return func(ctx context.Context) error {
			return r.execute(ctx, "DROP FUNCTION chaos_disk_full CASCADE")
		}, r.execute(ctx,
			`CREATE FUNCTION chaos_disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
			END $$`,
			"CREATE TRIGGER chaos_disk_full BEFORE INSERT ON shipments EXECUTE FUNCTION chaos_disk_full()")
}
