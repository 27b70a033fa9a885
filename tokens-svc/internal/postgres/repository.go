// Package postgres keeps organizations, people and tokens in Postgres.
//
// Guarantees: a method's change is one transaction, so that it happens whole or not at all; each change of a token
// takes the next revision in that same transaction; a call under a context of RequestTimeout is over in less than two
// seconds, even when Postgres disappears without a reset; and every error of an unavailable Postgres is returned as
// tokens.ErrUnavailable.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Repository implements tokens.Repository and people.Repository.
type Repository struct {
	db     *sqlx.DB
	places *limit.Shares[tokens.OrgID]
}

// An organization's changes and lists first acquire one of its places, and then a connection: no other organization
// waits for its locks and scans. The connections beyond all places are for single short statements, such as those of
// sessions.
const (
	placesOfAll          = postgres.MaxConns - 4
	placesOfOrganization = 4
	waitingForPlace      = 100              // of one organization
	placeTimeout         = 10 * time.Second // without a deadline
	lockTimeout          = 800 * time.Millisecond
)

// NewRepository returns a repository over a pool that Open returned, whose database Migrate has brought up to date.
func NewRepository(db *sqlx.DB) *Repository {
	return &Repository{db: db, places: limit.New[tokens.OrgID](limit.Config{
		Total: placesOfAll, Each: placesOfOrganization, Queue: waitingForPlace, Wait: placeTimeout,
	})}
}

// Ready reports whether the repository can serve: Postgres answers, and has the schema and the rights.
func (r *Repository) Ready(ctx context.Context) error {
	_, err := getRow[bool](ctx, r.db, `SELECT true FROM revision`)
	return err
}

// LastBackup returns when a backup was last completed, in seconds since 1970, and 0 if none was or Postgres does not
// answer within a second.
func (r *Repository) LastBackup() float64 {
	return r.seconds(`SELECT coalesce(extract(epoch FROM backed_up_at), 0) FROM revision`)
}

// ArchiveFailing returns for how many seconds Postgres has archived nothing of its log although it tried, and 0 if its
// last attempt succeeded, if it has no archive, or if it does not answer within a second.
func (r *Repository) ArchiveFailing() float64 {
	return r.seconds(`SELECT extract(epoch FROM now() - coalesce(last_archived_time, stats_reset)) FROM pg_stat_archiver
		WHERE last_failed_time > coalesce(last_archived_time, '-infinity')`)
}

func (r *Repository) seconds(query string) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	seconds, _ := getRow[float64](ctx, r.db, query)
	return seconds
}

// never is Go's zero time, in place of NULL.
const never = `'0001-01-01 00:00:00Z'`

// acquire acquires a place of an organization, within half of the time that is left.
func (r *Repository) acquire(ctx context.Context, org tokens.OrgID) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, remaining(ctx, placeTimeout)/2)
	defer cancel()
	return r.places.Acquire(ctx, org, 1)
}

// remaining returns the time to the deadline of ctx, if there is one, and at most a duration.
func remaining(ctx context.Context, most time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(time.Until(end), most)
	}
	return most
}

// getRows returns the rows of a query.
func getRows[T any](ctx context.Context, db sqlx.QueryerContext, query string, args ...any) (rows []T, err error) {
	err = sqlx.SelectContext(ctx, db, &rows, query, args...)
	return rows, translate(err)
}

// getRow returns the row of a query, or tokens.ErrNotFound.
func getRow[T any](ctx context.Context, db sqlx.QueryerContext, query string, args ...any) (row T, err error) {
	err = sqlx.GetContext(ctx, db, &row, query, args...)
	return row, translate(err)
}

// exec runs a statement that returns nothing.
func exec(ctx context.Context, db sqlx.ExecerContext, statement string, args ...any) error {
	_, err := affected(ctx, db, statement, args...)
	return err
}

// affected runs a statement and returns how many rows it changed.
func affected(ctx context.Context, db sqlx.ExecerContext, statement string, args ...any) (int64, error) {
	result, err := db.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, translate(err)
	}
	return result.RowsAffected()
}

// null returns NULL for the zero value.
func null[T comparable](value T) sql.Null[T] { return sql.Null[T]{V: value, Valid: value != *new(T)} }

// The SQLSTATEs that a constraint answers with.
const (
	uniqueViolation     = "23505"
	foreignKeyViolation = "23503"
)

// translate maps an error of Postgres to the domain's. An error that has
// none there is a fault of this program and stays as it is.
func translate(err error) error {
	if err == nil || errors.Is(err, tokens.ErrUnavailable) {
		return err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return tokens.ErrNotFound
	}
	if pgErr, ok := errors.AsType[*pq.Error](err); ok {
		switch pgErr.Code {
		case uniqueViolation:
			return tokens.ErrExists
		case foreignKeyViolation:
			return tokens.ErrNotFound
		}
	}
	if postgres.Unavailable(err) {
		return fmt.Errorf("%w: %w", tokens.ErrUnavailable, err)
	}
	return err
}

var (
	_ tokens.Repository = (*Repository)(nil)
	_ people.Repository = (*Repository)(nil)
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed grants.sql
var grants string

// RequestTimeout is the time for all database work of one request.
const RequestTimeout = postgres.RequestTimeout

// Migrate changes the schema of the database at dsn, which leads to Postgres
// directly: "up", "down", "down --yes" or "status". It writes its progress to w.
func Migrate(ctx context.Context, dsn, direction string, w io.Writer) error {
	return postgres.Migrate(ctx, migrations, dsn, direction, w)
}

// Grant gives a login the rights that all commands but migrate need, and makes
// the database its own. The DSN is that of Migrate.
func Grant(ctx context.Context, dsn, login string) error {
	return postgres.Grant(ctx, dsn, login, grants)
}

// Open returns a pool for a DSN, without connecting. observe are called after each
// exchange: with nil if Postgres can serve, otherwise with the reason.
func Open(dsn string, session postgres.Session, observe ...func(error)) (*sqlx.DB, error) {
	db, err := postgres.Open(dsn, postgres.Options{Session: session, Observe: observe})
	if err != nil {
		return nil, err
	}
	return Mapped(db), nil
}

var words = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)

// Mapped makes a pool read rows into the types of the domain, and returns it: a column is called as its field, in
// snake case such as owner_id for OwnerID, and that of a struct in a struct "organization.name".
func Mapped(db *sqlx.DB) *sqlx.DB {
	db.MapperFunc(func(field string) string {
		return strings.ToLower(words.ReplaceAllString(field,
			"${1}${3}_${2}${4}"))
	})
	return db
}
