package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"time"

	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versions are those of the embedded migrations.
var versions = embedded()

func embedded() (all []int64) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	for _, file := range files {
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			panic(err)
		}
		all = append(all, version)
	}
	return all
}

const (
	// lockTimeout is how long a migration waits for a lock. Statements of the
	// running programs that queue behind it wait no longer than that.
	lockTimeout = 500 * time.Millisecond
	// lockAttempts is how often a migration is tried that did not get its locks,
	// with lockPause between two attempts, in which other statements proceed.
	lockAttempts = 60
	lockPause    = 2 * time.Second
)

// Migrate changes the schema of the database at dsn: "up" to the newest
// version, "down" by one, or "status", which changes nothing. It writes one
// line a migration to w, and one for each attempt that did not get a lock.
//
// Programs may be migrated at the same time, and while the previous version
// serves: a session lock admits one at a time, and no migration blocks the
// statements of others for longer than lockTimeout while it waits for a lock.
// The DSN must lead to Postgres directly and not through a transaction pooler,
// which would lose the session lock.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) (err error) {
	db, err := openForMigration(dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	switch direction {
	case "up":
		for err == nil {
			err = retryLocks(ctx, w, provider.UpByOne)
		}
		if errors.Is(err, goose.ErrNoNextVersion) {
			err = nil
		}
	case "down":
		err = retryLocks(ctx, w, provider.Down)
	case "status":
		return status(ctx, provider, w)
	default:
		return fmt.Errorf("migrate %q: want up, down or status", direction)
	}
	if err != nil {
		return fmt.Errorf("migrate %s: %w", direction, err)
	}
	return nil
}

// openForMigration returns a pool whose statements give up waiting for a lock
// after lockTimeout, and otherwise may take as long as they need, whatever the
// DSN says.
func openForMigration(dsn string) (*sql.DB, error) {
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	cfg.Runtime["lock_timeout"] = strconv.FormatInt(lockTimeout.Milliseconds(), 10)
	cfg.Runtime["statement_timeout"] = "0"
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, errDSN
	}
	return sql.OpenDB(connector), nil
}

// retryLocks applies one migration, again while its locks are held by others.
func retryLocks(ctx context.Context, w io.Writer, migrate func(context.Context) (*goose.MigrationResult, error)) error {
	for attempt := 1; ; attempt++ {
		result, err := migrate(ctx)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s %s\n", result.Direction, path.Base(result.Source.Path))
			return err
		}
		refused, ok := errors.AsType[*pq.Error](err)
		if !ok || refused.Code != lockNotAvailable || attempt == lockAttempts {
			return err
		}
		if _, err := fmt.Fprintf(w, "waiting for a lock that other transactions hold (attempt %d of %d)\n", attempt, lockAttempts); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// lockNotAvailable is Postgres's code of a statement that lock_timeout ended.
const lockNotAvailable = "55P03"

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
}

func status(ctx context.Context, provider *goose.Provider, w io.Writer) error {
	all, err := provider.Status(ctx)
	if err != nil {
		return fmt.Errorf("migrate status: %w", err)
	}
	for _, s := range all {
		if _, err := fmt.Fprintf(w, "%-7s %s\n", s.State, path.Base(s.Source.Path)); err != nil {
			return err
		}
	}
	return nil
}
