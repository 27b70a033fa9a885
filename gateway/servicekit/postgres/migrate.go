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
// "down" by one, or "status", which changes nothing. It writes one line a
// migration to w, and one for each attempt that did not get a lock.
//
// Programs may be migrated at the same time, and while the previous version
// serves: a session lock admits one at a time, and a migration that waits for a
// lock blocks the statements of others for half a second at most. The DSN must
// lead to Postgres directly and not through a transaction pooler, which would lose
// the session lock.
func Migrate(ctx context.Context, files fs.FS, dsn, direction string, w io.Writer) error {
	m, err := NewMigrator(dsn, files)
	if err != nil {
		return err
	}
	defer m.Close()
	switch direction {
	case "up":
		for more := true; more && err == nil; {
			more, err = m.UpByOne(ctx, w)
		}
	case "down":
		err = m.Down(ctx, w)
	case "status":
		err = m.status(ctx, w)
	default:
		return fmt.Errorf("migrate %q: want up, down or status", direction)
	}
	if err != nil {
		return fmt.Errorf("migrate %s: %w", direction, err)
	}
	return nil
}

// Migrator applies migrations one by one.
type Migrator struct {
	db       *sql.DB
	provider *goose.Provider
}

// NewMigrator returns a migrator for the arguments of Migrate. It does not
// connect.
func NewMigrator(dsn string, files fs.FS) (*Migrator, error) {
	db, err := openForMigration(dsn)
	if err != nil {
		return nil, err
	}
	provider, err := newProvider(db, files)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Migrator{db, provider}, nil
}

// Close closes the migrator's connections.
func (m *Migrator) Close() { _ = m.db.Close() }

// UpByOne applies the next migration and reports whether there was one.
func (m *Migrator) UpByOne(ctx context.Context, w io.Writer) (applied bool, err error) {
	err = retryLocks(ctx, w, m.provider.UpByOne)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return false, nil
	}
	return err == nil, err
}

// Down reverts the newest migration.
func (m *Migrator) Down(ctx context.Context, w io.Writer) error {
	return retryLocks(ctx, w, m.provider.Down)
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

func newProvider(db *sql.DB, files fs.FS) (*goose.Provider, error) {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, folder,
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
}

func (m *Migrator) status(ctx context.Context, w io.Writer) error {
	all, err := m.provider.Status(ctx)
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
