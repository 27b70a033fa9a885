package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateOrganization implements tokens.Repository.
func (r *Repository) CreateOrganization(ctx context.Context, o tokens.Organization, e audit.Entry) error {
	return transact(ctx, r.db, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)`,
			o.ID, o.Name, o.CreatedAt)
		if err != nil {
			return err
		}
		m, err := lockHead(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		return m.record(ctx, e)
	})
}

// Organization implements tokens.Repository.
func (r *Repository) Organization(ctx context.Context, org tokens.OrgID) (tokens.Organization, error) {
	var row organizationRow
	err := r.db.GetContext(ctx, &row, `SELECT id, name, created_at FROM organizations WHERE id = $1`, org)
	return row.organization(), translate(err)
}

// Organizations implements tokens.Repository.
func (r *Repository) Organizations(ctx context.Context) ([]tokens.Organization, error) {
	var rows []organizationRow
	err := r.db.SelectContext(ctx, &rows, `SELECT id, name, created_at FROM organizations ORDER BY created_at, id`)
	all := make([]tokens.Organization, len(rows))
	for i, row := range rows {
		all[i] = row.organization()
	}
	return all, translate(err)
}

type organizationRow struct {
	ID        tokens.OrgID `db:"id"`
	Name      string       `db:"name"`
	CreatedAt time.Time    `db:"created_at"`
}

func (r organizationRow) organization() tokens.Organization {
	return tokens.Organization{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt.UTC()}
}
