package postgrestest

import (
	"context"
	"database/sql"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
)

// Migrations tests the migrations in files, as postgres.Migrate takes them:
// each can be reverted and applied again, nothing is left when all are reverted, and
// several programs may migrate at once.
func Migrations(t *testing.T, files fs.FS) {
	t.Helper()
	fresh := func(t *testing.T) string {
		t.Helper()
		return Direct(New(t, func(ctx context.Context, dsn, direction string, w io.Writer) error {
			return postgres.Migrate(ctx, files, dsn, direction, w)
		}))
	}
	t.Run("down and up again", func(t *testing.T) {
		t.Parallel()
		downAndUp(t, fresh(t), files)
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		dsn := fresh(t)
		for range names(t, files) {
			if err := postgres.Migrate(t.Context(), files, dsn, "down", io.Discard); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := postgres.Migrate(t.Context(), files, dsn, "up", io.Discard); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func names(t *testing.T, files fs.FS) []string {
	t.Helper()
	all, err := fs.Glob(files, "migrations/*.sql")
	if err != nil || len(all) == 0 {
		t.Fatalf("no migrations (%v)", err)
	}
	for i := range all {
		all[i] = path.Base(all[i])
	}
	return all
}

func downAndUp(t *testing.T, dsn string, files fs.FS) {
	t.Helper()
	var want, got strings.Builder
	step := func(direction string) {
		t.Helper()
		if err := postgres.Migrate(t.Context(), files, dsn, direction, &got); err != nil {
			t.Fatalf("%s: %v", direction, err)
		}
	}
	all := names(t, files)
	for _, name := range slices.Backward(all) {
		want.WriteString("down " + name + "\n")
		step("down")
	}
	for _, name := range all {
		want.WriteString("pending " + name + "\n")
	}
	step("status")
	nothingLeft(t, dsn)
	for _, name := range all {
		want.WriteString("up " + name + "\n")
	}
	step("up")
	if got.String() != want.String() {
		t.Errorf("%s\nwant\n%s", got.String(), want.String())
	}
}

func nothingLeft(t *testing.T, dsn string) {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var left int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'S') AND relname NOT LIKE 'goose%'`).
		Scan(&left); err != nil || left != 0 {
		t.Errorf("%d tables, indexes and sequences are left (%v)", left, err)
	}
}
