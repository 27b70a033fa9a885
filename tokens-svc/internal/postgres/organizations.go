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

// ChangeOrganization implements tokens.Repository.
func (r *Repository) ChangeOrganization(
	ctx context.Context, org tokens.OrgID, terms tokens.Terms,
	decide func(tokens.Organization, tokens.Policy) (tokens.Organization, tokens.Policy, audit.Entry, error),
) error {
	return mutate(ctx, r.db, org, func(m *mutation) error {
		if err := m.admit(ctx, org, terms); err != nil {
			return err
		}
		before, err := organization(ctx, m, org)
		if err != nil {
			return err
		}
		old, err := policy(ctx, m, org)
		if err != nil {
			return err
		}
		after, changed, entry, err := decide(before, old)
		if err != nil || after == before && changed == old {
			return err
		}
		err = exec(ctx, m, `
			UPDATE organizations SET name = $2, max_days = $3, require_addresses = $4, owners_grant_admin = $5,
				version = version + 1
			WHERE id = $1`, org, after.Name, changed.MaxDays, changed.RequireAddresses, changed.OwnersGrantAdmin)
		if err != nil {
			return err
		}
		return m.record(ctx, entry)
	})
}
