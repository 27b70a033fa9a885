package postgres

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateOrganization implements tokens.Repository.
func (r *Repository) CreateOrganization(ctx context.Context, o tokens.Organization) error {
	_, err := r.db.ExecContext(ctx,
		`INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)`,
		o.ID, o.Name, o.CreatedAt)
	return translate(err)
}

// Organization implements tokens.Repository.
func (r *Repository) Organization(ctx context.Context, org tokens.OrgID) (tokens.Organization, error) {
	var row struct {
		ID        tokens.OrgID `db:"id"`
		Name      string       `db:"name"`
		CreatedAt time.Time    `db:"created_at"`
	}
	err := r.db.GetContext(ctx, &row, `SELECT id, name, created_at FROM organizations WHERE id = $1`, org)
	if err != nil {
		return tokens.Organization{}, translate(err)
	}
	return tokens.Organization{ID: row.ID, Name: row.Name, CreatedAt: row.CreatedAt.UTC()}, nil
}
