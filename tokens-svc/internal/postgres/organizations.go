package postgres

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateOrganization implements tokens.Repository.
func (r *Repository) CreateOrganization(ctx context.Context, o tokens.Organization, e audit.Entry) error {
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		err := exec(ctx, tx, `INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)`, o.ID, o.Name,
			o.CreatedAt)
		if err != nil {
			return err
		}
		m, err := beginLog(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		return m.record(ctx, e)
	})
}

// Organization implements tokens.Repository.
func (r *Repository) Organization(ctx context.Context, org tokens.OrgID) (tokens.Organization, error) {
	return one[tokens.Organization](ctx, r.db, `SELECT id, name, created_at FROM organizations WHERE id = $1`, org)
}
