package chaos

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/lib/pq"
)

// myself is the name under which Postgres knows the connections of this
// program, so that it does not end them.
const myself = "chaos"

// database opens the database of shipments with nothing between.
func (r *rig) database() (*sql.DB, error) {
	dsn, err := url.Parse(r.stack.DSN("shipments"))
	if err != nil {
		return nil, err
	}
	query := dsn.Query()
	query.Set("application_name", myself)
	dsn.RawQuery = query.Encode()
	return sql.Open("postgres", dsn.String())
}

// execute runs statements there, one by one.
func (r *rig) execute(ctx context.Context, statements ...string) error {
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

// messageType is how much of Postgres's answers is spoilt: a byte, which says
// what a message is. The four after it are its length; with noise there lib/pq
// makes room for up to 4 GiB a message, and the services take more memory
// than the machine may have to give.
const messageType = 1

// postgresRestarted ends Postgres and brings it back with its data.
func postgresRestarted(_ context.Context, r *rig, _ *observation) (heal, error) {
	return r.stack.StartPostgres, r.stack.StopPostgres()
}

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE datname IN ('shipments', 'tokens') AND application_name <> '` + myself + `'`

// sessionsEnded ends every session of the services, as often as a link flaps.
func sessionsEnded(ctx context.Context, r *rig, _ *observation) (heal, error) {
	return repeated(ctx, flapDown+flapUp, func(ctx context.Context) error {
		return r.execute(ctx, endSessions)
	}), nil
}

// postgresStandby makes Postgres what a client meets in the middle of a
// fail-over: a standby, which answers, refuses to write, and then takes over.
func postgresStandby(ctx context.Context, r *rig, _ *observation) (heal, error) {
	return func(ctx context.Context) error { return r.execute(ctx, "SELECT pg_promote()") },
		firstOf(r.stack.StopPostgres(), r.stack.StandByPostgres(ctx))
}

// outOfConnections takes every connection that Postgres can give, also those
// that the services had.
func outOfConnections(ctx context.Context, r *rig, _ *observation) (heal, error) {
	db, err := r.database()
	if err != nil {
		return nothing, err
	}
	taker := &taker{db: db}
	release := repeated(ctx, 50*time.Millisecond, taker.takeAll)
	return func(ctx context.Context) error {
		return errors.Join(release(ctx), db.Close())
	}, nil
}

// taker holds connections until its pool is closed.
type taker struct {
	db   *sql.DB
	held []*sql.Conn
}

// takeAll opens connections until there are no more, and ends the sessions of
// the services, whose places are taken the next time.
func (t *taker) takeAll(ctx context.Context) error {
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

// repeated does something again and again until it is healed.
func repeated(ctx context.Context, every time.Duration, do func(context.Context) error) heal {
	ctx, cancel := context.WithCancel(ctx)
	var doing sync.WaitGroup
	var failed error
	doing.Go(func() {
		for failed == nil && ctx.Err() == nil {
			if err := do(ctx); ctx.Err() == nil {
				failed = err
			}
			wait(ctx, every)
		}
	})
	return func(context.Context) error {
		cancel()
		doing.Wait()
		return failed
	}
}

// diskFull makes every new row fail as Postgres fails it when the disk is
// full. Nothing is filled: the machine is others' too.
func diskFull(ctx context.Context, r *rig, _ *observation) (heal, error) {
	return func(ctx context.Context) error {
			return r.execute(ctx, "DROP FUNCTION chaos_disk_full CASCADE")
		}, r.execute(ctx,
			`CREATE FUNCTION chaos_disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
				RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
			END $$`,
			"CREATE TRIGGER chaos_disk_full BEFORE INSERT ON shipments EXECUTE FUNCTION chaos_disk_full()")
}
