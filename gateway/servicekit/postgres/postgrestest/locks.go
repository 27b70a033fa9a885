package postgrestest

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// longestBlock is how long a writer may wait behind a migration: ten times the
// lock timeout of migrations.
const longestBlock = 5 * time.Second

// blockNoWriters applies each migration while a long transaction holds every
// table as a writer does: the migration waits for its locks, and others that
// write meanwhile do not wait behind it.
func blockNoWriters(t *testing.T, dsn string, files fs.FS) {
	t.Helper()
	revertAll(t, dsn, files)
	migrator, err := postgres.NewMigrator(dsn, files)
	if err != nil {
		t.Fatal(err)
	}
	defer migrator.Close()
	writers, err := sql.Open("postgres", dsn) // without a lock_timeout, as the programs
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writers.Close() }()
	waited := 0
	for more := true; more; {
		step := &steps{reached: make(chan struct{})}
		tables := tablesOf(t, writers)
		long := lockTables(t, writers, tables)
		done := make(chan error, 1)
		go func() {
			var err error
			more, err = migrator.UpByOne(t.Context(), step)
			step.end()
			done <- err
		}()
		slowest := writeUntil(t, writers, tables, step.reached)
		if slowest > longestBlock {
			t.Errorf("a writer waited for %s behind a migration", slowest)
		}
		waited += step.waits()
		if err := long.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if waited == 0 {
		t.Error("no migration had to wait for a lock: the test has no effect")
	}
}

// steps collects the output of a migration. reached is closed when it first
// waits for a lock, or ends.
type steps struct {
	mu      sync.Mutex
	text    strings.Builder
	reached chan struct{}
	once    sync.Once
}

func (s *steps) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	return s.text.Write(p)
}

func (s *steps) end() { s.once.Do(func() { close(s.reached) }) }

func (s *steps) waits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.text.String(), "waiting")
}

// tablesOf returns the tables of the schema.
func tablesOf(t *testing.T, db *sql.DB) []string {
	t.Helper()
	var all []string
	if err := sqlx.NewDb(db, "postgres").SelectContext(t.Context(), &all, `SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'goose%' ORDER BY 1`); err != nil {
		t.Fatal(err)
	}
	return all
}

// lockTables begins a transaction with a writer's locks on the tables.
func lockTables(t *testing.T, db *sql.DB, tables []string) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables {
		if _, err := tx.ExecContext(t.Context(), fmt.Sprintf("LOCK TABLE %s IN ROW EXCLUSIVE MODE", name)); err != nil {
			t.Fatal(err)
		}
	}
	return tx
}

// writeUntil takes a writer's locks in short transactions, one after the other,
// until reached is closed. It returns the longest wait for a lock.
func writeUntil(t *testing.T, db *sql.DB, tables []string, reached <-chan struct{}) (slowest time.Duration) {
	t.Helper()
	for {
		for _, name := range tables {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := tx.ExecContext(ctx, fmt.Sprintf("LOCK TABLE %s IN ROW EXCLUSIVE MODE", name)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			slowest = max(slowest, time.Since(start))
			_ = tx.Rollback()
			cancel()
		}
		select {
		case <-reached:
			return slowest
		default:
		}
	}
}
