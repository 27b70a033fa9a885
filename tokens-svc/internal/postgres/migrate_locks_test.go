package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/quayside/quayside/tokens-svc/internal/postgres/pgtest"
)

// TestNoMigrationBlocksWriters: while a transaction that goes on holds every
// table, as a writer does, a migration waits for its locks; others that write
// meanwhile are not kept waiting behind it.
func TestNoMigrationBlocksWriters(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Direct(pgtest.New(t, Migrate))
	db, err := openForMigration(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	provider, err := newProvider(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	writers, err := sql.Open("postgres", dsn) // without a lock_timeout, as the programs
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writers.Close() }()
	waited := 0
	for {
		step := &steps{reached: make(chan struct{})}
		tables := tablesOf(t, writers)
		long := lockTables(t, writers, tables)
		done := make(chan error, 1)
		go func() {
			done <- retryLocks(t.Context(), step, provider.UpByOne)
			step.end()
		}()
		slowest := writeUntil(t, writers, tables, step.reached)
		if slowest > 10*lockTimeout {
			t.Errorf("a writer waited for %s behind a migration", slowest)
		}
		waited += step.waits()
		if err := long.Rollback(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; errors.Is(err, goose.ErrNoNextVersion) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if waited == 0 {
		t.Error("no migration had to wait for a lock: nothing was tested")
	}
}

// steps collects what is written of a migration. reached is closed when it first
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

// tablesOf returns the tables that there are.
func tablesOf(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'goose%' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// lockTables begins a transaction that holds what a writer of the tables holds.
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

// writeUntil has short transactions take a writer's locks, one after the other,
// until reached is closed. It returns how long the slowest lock took.
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
