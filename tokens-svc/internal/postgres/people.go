package postgres

import (
	"context"
	"database/sql"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// People implements people.Repository.
type People struct {
	db   *sqlx.DB
	keys audit.Keys
}

// NewPeople returns a repository over a pool that Open returned, whose database
// Migrate has brought up to date. keys are those of the audit logs.
func NewPeople(db *sqlx.DB, keys audit.Keys) *People { return &People{db, keys} }

type userRow struct {
	ID                people.UserID       `db:"id"`
	Email             string              `db:"email"`
	Name              string              `db:"name"`
	CreatedAt         time.Time           `db:"created_at"`
	VerifiedAt        sql.Null[time.Time] `db:"verified_at"`
	DisabledAt        sql.Null[time.Time] `db:"disabled_at"`
	PasswordTemporary bool                `db:"password_temporary"`
	SessionEpoch      int64               `db:"session_epoch"`
}

// userColumns are those of a userRow, of the table u.
const userColumns = `u.id, u.email, u.name, u.created_at, u.verified_at, u.disabled_at, u.password_temporary, u.session_epoch`

func (r userRow) user() people.User {
	return people.User{
		ID: r.ID, Email: r.Email, Name: r.Name, CreatedAt: r.CreatedAt.UTC(), VerifiedAt: utc(r.VerifiedAt),
		DisabledAt: utc(r.DisabledAt), PasswordTemporary: r.PasswordTemporary, SessionEpoch: r.SessionEpoch,
	}
}

// User implements people.Repository.
func (p *People) User(ctx context.Context, id people.UserID) (people.User, error) {
	return one(ctx, p.db, userRow.user, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
}

// UserWith implements people.Repository.
func (p *People) UserWith(ctx context.Context, identity people.Identity) (people.User, error) {
	return one(ctx, p.db, userRow.user, `
		SELECT `+userColumns+`
		FROM identities i JOIN users u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, identity.Issuer, identity.Subject)
}

// Attempt implements people.Repository.
func (p *People) Attempt(ctx context.Context, key [32]byte, at time.Time, window time.Duration) (int, time.Time, error) {
	var row struct {
		Attempts int       `db:"attempts"`
		Since    time.Time `db:"since"`
	}
	err := p.db.GetContext(ctx, &row, `
		INSERT INTO sign_in_attempts AS a (key, attempts, since) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			attempts = CASE WHEN a.since > $3 THEN a.attempts + 1 ELSE 1 END,
			since = CASE WHEN a.since > $3 THEN a.since ELSE $2 END
		RETURNING attempts, since`, key[:], at, at.Add(-window))
	return row.Attempts, row.Since.UTC(), translate(err)
}

// ResetAttempts implements people.Repository.
func (p *People) ResetAttempts(ctx context.Context, key [32]byte) error {
	return exec(ctx, p.db, `DELETE FROM sign_in_attempts WHERE key = $1`, key[:])
}

// ReturnAttempt implements people.Repository.
func (p *People) ReturnAttempt(ctx context.Context, key [32]byte) error {
	return exec(ctx, p.db, `UPDATE sign_in_attempts SET attempts = attempts - 1 WHERE key = $1 AND attempts > 0`, key[:])
}

// Prune removes counts of attempts that are older than window, which mean
// nothing any more.
func (p *People) Prune(ctx context.Context, at time.Time, window time.Duration) error {
	return exec(ctx, p.db, `DELETE FROM sign_in_attempts WHERE since <= $1`, at.Add(-window))
}

var _ people.Repository = (*People)(nil)

// Memberships implements people.Repository.
func (p *People) Memberships(ctx context.Context, id people.UserID) ([]people.Membership, error) {
	type membershipRow struct {
		organizationRow
		Role     tokens.Role `db:"role"`
		JoinedAt time.Time   `db:"joined_at"`
	}
	return list(ctx, p.db, func(r membershipRow) people.Membership {
		return people.Membership{Organization: r.organization(), Role: r.Role, JoinedAt: r.JoinedAt.UTC()}
	}, `
		SELECT o.id, o.name, o.created_at, m.role, m.joined_at
		FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = $1 ORDER BY o.name, o.id`, id)
}
