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
		return m.Record(ctx, e)
	})
}

// Organization implements tokens.Repository.
func (r *Repository) Organization(ctx context.Context, org tokens.OrgID) (tokens.Organization, error) {
	return organization(ctx, r.db, org)
}

func organization(ctx context.Context, db sqlx.QueryerContext, org tokens.OrgID) (tokens.Organization, error) {
	return one[tokens.Organization](ctx, db, `SELECT id, name, created_at FROM organizations WHERE id = $1`, org)
}

// Policy implements tokens.Repository.
func (r *Repository) Policy(ctx context.Context, org tokens.OrgID) (tokens.Policy, error) {
	return policy(ctx, r.db, org)
}

func policy(ctx context.Context, db sqlx.QueryerContext, org tokens.OrgID) (tokens.Policy, error) {
	return one[tokens.Policy](ctx, db,
		`SELECT max_days, require_addresses, owners_grant_admin, version FROM organizations WHERE id = $1`, org)
}

// Organization implements tokens.Tx.
func (m *mutation) Organization(ctx context.Context) (tokens.Organization, tokens.Policy, error) {
	o, err := organization(ctx, m, m.org())
	if err != nil {
		return o, tokens.Policy{}, err
	}
	p, err := policy(ctx, m, m.org())
	return o, p, err
}

// SetOrganization implements tokens.Tx.
func (m *mutation) SetOrganization(ctx context.Context, name string, p tokens.Policy) error {
	return exec(ctx, m, `
		UPDATE organizations SET name = $2, max_days = $3, require_addresses = $4, owners_grant_admin = $5,
			version = version + 1
		WHERE id = $1`, m.org(), name, p.MaxDays, p.RequireAddresses, p.OwnersGrantAdmin)
}
