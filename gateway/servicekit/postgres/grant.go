package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/lib/pq"
)

// Grant makes the database at dsn that of a login: others may no longer connect
// unless they own it, are superusers or were granted CONNECT by name, so that the
// logins of other installations on the same server cannot read it. It then
// executes statements, in which {login} stands for the login, in the same
// transaction. The DSN is that of the database's owner, as for Migrate.
func Grant(ctx context.Context, dsn, login, statements string) error {
	db, err := openForMigration(dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var database, owner string
	// Several programs may grant at once, which Postgres refuses for one table.
	const lock = `SELECT current_database(), current_user FROM pg_advisory_xact_lock(hashtext('quayside grants'))`
	if err := tx.QueryRowContext(ctx, lock).Scan(&database, &owner); err != nil {
		return err
	}
	if login == owner {
		return fmt.Errorf("the login %s migrates the database: give serve another one, or grant nothing", login)
	}
	text := `REVOKE CONNECT ON DATABASE {database} FROM PUBLIC; GRANT CONNECT ON DATABASE {database} TO {login}; ` +
		statements
	names := strings.NewReplacer("{database}", pq.QuoteIdentifier(database), "{login}", pq.QuoteIdentifier(login))
	if _, err := tx.ExecContext(ctx, names.Replace(text)); err != nil {
		return fmt.Errorf("rights of the login %s: %w", login, err)
	}
	return tx.Commit()
}
