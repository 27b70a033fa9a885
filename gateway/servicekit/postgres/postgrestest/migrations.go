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
// each can be reverted and applied again, the first one not by mistake, nothing is left when all are reverted, and
// several programs may migrate at once. After the first, none makes writers of a table wait for an index or a
// constraint, but for the migrations that are excepted, which were released before that rule.
func Migrations(t *testing.T, files fs.FS, excepted ...string) {
	t.Helper()
	dsn := Direct(New(t, func(ctx context.Context, dsn, direction string, w io.Writer) error {
		return postgres.Migrate(ctx, files, dsn, direction, w)
	}))
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("no migrations (%v)", err)
	}
	for _, name := range names[1:] {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(excepted, path.Base(name)) {
			continue
		}
		for _, fault := range blocking(string(text)) {
			t.Errorf("%s: %s", path.Base(name), fault)
		}
	}
	var want, got strings.Builder
	for _, name := range slices.Backward(names) {
		want.WriteString("down " + path.Base(name) + "\n")
		err := postgres.Migrate(t.Context(), files, dsn, "down", &got)
		if name == names[0] {
			if err == nil || !strings.Contains(err.Error(), "drops every table with all data; to do that, add --yes") {
				t.Errorf("the first migration is reverted without a question: %v", err)
			}
			err = postgres.Migrate(t.Context(), files, dsn, "down --yes", &got)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		want.WriteString("pending " + path.Base(name) + "\n")
	}
	if err := postgres.Migrate(t.Context(), files, dsn, "status", &got); err != nil || got.String() != want.String() {
		t.Errorf("%s (%v)\nwant\n%s", got.String(), err, want.String())
	}
	nothingLeft(t, dsn)
	var applied [3]strings.Builder
	var programs sync.WaitGroup
	for i := range applied {
		programs.Go(func() {
			if err := postgres.Migrate(t.Context(), files, dsn, "up", &applied[i]); err != nil {
				t.Error(err)
			}
		})
	}
	programs.Wait()
	all := applied[0].String() + applied[1].String() + applied[2].String()
	if n := strings.Count(all, "up "); n != len(names) {
		t.Errorf("%d migrations were applied, want %d: %s", n, len(names), all)
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
