package postgres

import (
	"context"
	"database/sql"
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

const (
	// lockTimeout is how long a migration waits for a lock. Statements of the
	// running programs that queue behind it wait no longer than that.
	lockTimeout = 500 * time.Millisecond
	// lockAttempts is how often a migration is tried, with lockPause between two
	// attempts, in which other statements proceed.
	lockAttempts = 60
	lockPause    = 2 * time.Second
)

// Migrate changes the schema of the database at dsn by the files *.sql in the
// folder migrations of files, in goose's format: "up" to the newest version,
// "down" by one, or "status", which changes nothing. The first migration, with which every table
// goes, is reverted by "down --yes" only. It writes one line a
// migration to w, and one for each attempt that did not get a lock.
//
// Programs may be migrated at the same time, and while the previous version
// serves: a session lock admits one at a time, and a migration that waits for a
// lock blocks the statements of others for half a second at most. The DSN must
// lead to Postgres directly and not through a transaction pooler, which would lose
// the session lock.
func Migrate(ctx context.Context, files fs.FS, dsn, direction string, w io.Writer) error {
	db, err := openForMigration(dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, folder,
		goose.WithSessionLocker(cleaningLocker{locker}), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	switch direction {
	case "up":
		for err == nil {
			err = retryLocks(ctx, w, provider.UpByOne)
		}
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
	case "down", "down --yes":
		if err = checkDown(ctx, provider, direction); err == nil {
			err = retryLocks(ctx, w, provider.Down)
		}
	case "status":
		err = status(ctx, w, provider)
	default:
		return fmt.Errorf("migrate %q: want up, down, down --yes or status", direction)
	}
	if err != nil {
		return fmt.Errorf("migrate %s: %w", direction, err)
	}
	return nil
}

// checkDown returns an error where down would revert the first migration without --yes.
func checkDown(ctx context.Context, provider *goose.Provider, direction string) error {
	version, err := provider.GetDBVersion(ctx)
	if first := provider.ListSources()[0]; err == nil && version == first.Version && direction == "down" {
		err = fmt.Errorf("reverting %s drops every table with all data; to do that, add --yes", path.Base(first.Path))
	}
	return err
}

// openForMigration returns a pool whose statements give up waiting for a lock
// after lockTimeout, and otherwise may take as long as they need, whatever
// the settings of the DSN.
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

// cleaningLocker drops indexes that an attempt which gave up left unfinished: CREATE INDEX IF NOT EXISTS would keep
// them, and nothing would ever use them.
type cleaningLocker struct{ lock.SessionLocker }

// SessionLock implements lock.SessionLocker.
func (l cleaningLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if err := l.SessionLocker.SessionLock(ctx, conn); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, `DO $$
		DECLARE
			unfinished regclass;
		BEGIN
			FOR unfinished IN SELECT indexrelid FROM pg_index JOIN pg_class c ON c.oid = indexrelid
				WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace AND pg_has_role(relowner, 'USAGE')
			LOOP
				EXECUTE format('DROP INDEX %s', unfinished);
			END LOOP;
		END $$`)
	if err != nil {
		err = errors.Join(err, l.SessionUnlock(ctx, conn))
	}
	return err
}

// retryLocks applies one migration. While others hold its locks it is retried.
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
		if _, err := fmt.Fprintf(w, "waiting for a lock that other transactions hold (attempt %d of %d)\n", attempt,
			lockAttempts); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// lockNotAvailable is the SQLSTATE of a statement that lock_timeout ended.
const lockNotAvailable = "55P03"

func status(ctx context.Context, w io.Writer, provider *goose.Provider) error {
	all, err := provider.Status(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if _, err := fmt.Fprintf(w, "%-7s %s\n", s.State, path.Base(s.Source.Path)); err != nil {
			return err
		}
	}
	return nil
}
