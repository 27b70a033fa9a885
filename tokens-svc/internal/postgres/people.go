package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// People implements people.Repository.
type People struct {
	db *sqlx.DB
}

// NewPeople returns a repository over a pool that Open returned, whose database
// Migrate has brought up to date.
func NewPeople(db *sqlx.DB) *People { return &People{db: db} }

type userRow struct {
	ID        people.UserID `db:"id"`
	Email     string        `db:"email"`
	Name      string        `db:"name"`
	Password  string        `db:"password"`
	CreatedAt time.Time     `db:"created_at"`
}

func (r userRow) user() people.User {
	return people.User{ID: r.ID, Email: r.Email, Name: r.Name, CreatedAt: r.CreatedAt.UTC()}
}

// User implements people.Repository.
func (p *People) User(ctx context.Context, id people.UserID) (people.User, error) {
	var row userRow
	err := p.db.GetContext(ctx, &row, `SELECT id, email, name, created_at FROM users WHERE id = $1`, id)
	return row.user(), translate(err)
}

// Credentials implements people.Repository.
func (p *People) Credentials(ctx context.Context, email string) (people.User, string, error) {
	var row userRow
	err := p.db.GetContext(ctx, &row, `SELECT id, email, name, password, created_at FROM users WHERE email = $1`, email)
	return row.user(), row.Password, translate(err)
}

// SetPassword implements people.Repository.
func (p *People) SetPassword(ctx context.Context, id people.UserID, old, password string) error {
	_, err := p.db.ExecContext(ctx, `UPDATE users SET password = $3 WHERE id = $1 AND password = $2`, id, old, password)
	return translate(err)
}

// UserWith implements people.Repository.
func (p *People) UserWith(ctx context.Context, identity people.Identity) (people.User, error) {
	var row userRow
	err := p.db.GetContext(ctx, &row, `
		SELECT u.id, u.email, u.name, u.created_at
		FROM identities i JOIN users u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, identity.Issuer, identity.Subject)
	return row.user(), translate(err)
}

// Link implements people.Repository.
func (p *People) Link(ctx context.Context, id people.UserID, identity people.Identity, at time.Time) error {
	return transact(ctx, p.db, func(tx *sqlx.Tx) error {
		if err := insertIdentity(ctx, tx, id, identity, at); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET password = '' WHERE id = $1`, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, id)
		return err
	})
}

func insertIdentity(ctx context.Context, tx *sqlx.Tx, id people.UserID, identity people.Identity, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)`,
		identity.Issuer, identity.Subject, id, at)
	return err
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

// Forgive implements people.Repository.
func (p *People) Forgive(ctx context.Context, all, one [32]byte) error {
	_, err := p.db.ExecContext(ctx, `
		WITH forgotten AS (DELETE FROM sign_in_attempts WHERE key = $1)
		UPDATE sign_in_attempts SET attempts = attempts - 1 WHERE key = $2 AND attempts > 0`, all[:], one[:])
	return translate(err)
}

// Prune removes counts of attempts that are older than window, which mean
// nothing any more.
func (p *People) Prune(ctx context.Context, at time.Time, window time.Duration) error {
	_, err := p.db.ExecContext(ctx, `DELETE FROM sign_in_attempts WHERE since <= $1`, at.Add(-window))
	return translate(err)
}

var _ people.Repository = (*People)(nil)

type membershipRow struct {
	OrganizationID        tokens.OrgID `db:"organization_id"`
	OrganizationName      string       `db:"organization_name"`
	OrganizationCreatedAt time.Time    `db:"organization_created_at"`
	Role                  tokens.Role  `db:"role"`
	JoinedAt              time.Time    `db:"joined_at"`
}

func (r membershipRow) membership() people.Membership {
	return people.Membership{
		Organization: tokens.Organization{
			ID: r.OrganizationID, Name: r.OrganizationName, CreatedAt: r.OrganizationCreatedAt.UTC(),
		},
		Role:     r.Role,
		JoinedAt: r.JoinedAt.UTC(),
	}
}

const selectMemberships = `
	SELECT m.organization_id, o.name AS organization_name, o.created_at AS organization_created_at, m.role, m.joined_at
	FROM memberships m JOIN organizations o ON o.id = m.organization_id `

// Memberships implements people.Repository.
func (p *People) Memberships(ctx context.Context, id people.UserID) ([]people.Membership, error) {
	var rows []membershipRow
	err := p.db.SelectContext(ctx, &rows, selectMemberships+`WHERE m.user_id = $1 ORDER BY o.name, o.id`, id)
	if err != nil {
		return nil, translate(err)
	}
	all := make([]people.Membership, len(rows))
	for i, row := range rows {
		all[i] = row.membership()
	}
	return all, nil
}

// Membership implements people.Repository.
func (p *People) Membership(ctx context.Context, org tokens.OrgID, id people.UserID) (people.Membership, error) {
	var row membershipRow
	err := p.db.GetContext(ctx, &row, selectMemberships+`WHERE m.organization_id = $1 AND m.user_id = $2`, org, id)
	return row.membership(), translate(err)
}
