package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate changes the schema of the database at dsn: "up" to the newest
// version, "down" by one, or "status", which changes nothing. It writes one
// line a migration to w.
//
// Programs may be migrated at the same time, and while the previous version
// serves: a lock lets one go first. The DSN must lead to Postgres directly
// and not through a transaction pooler, which would lose that lock.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) (err error) {
	connector, err := pq.NewConnector(dsn)
	if err != nil {
		return errDSN
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	var results []*goose.MigrationResult
	switch direction {
	case "up":
		results, err = provider.Up(ctx)
	case "down":
		var result *goose.MigrationResult
		if result, err = provider.Down(ctx); err == nil {
			results = append(results, result)
		}
	case "status":
		return status(ctx, provider, w)
	default:
		return fmt.Errorf("migrate %q: want up, down or status", direction)
	}
	if err != nil {
		return fmt.Errorf("migrate %s: %w", direction, err)
	}
	for _, r := range results {
		if _, err := fmt.Fprintf(w, "%s %s\n", r.Direction, path.Base(r.Source.Path)); err != nil {
			return err
		}
	}
	return nil
}

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
