package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// CreateOrganization implements tokens.Repository.
func (r *Repository) CreateOrganization(ctx context.Context, o tokens.Organization, e audit.Entry) (tokens.Organization, error) {
	err := transact(ctx, r.db, func(tx *sqlx.Tx) error {
		var taken bool
		if err := tx.GetContext(ctx, &taken, `SELECT EXISTS (SELECT FROM organizations WHERE test_id = $1)`, o.ID); err != nil {
			return err
		}
		if taken {
			return tokens.ErrExists
		}
		err := tx.GetContext(ctx, &o.TestID,
			`INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3) RETURNING test_id`,
			o.ID, o.Name, o.CreatedAt)
		if err != nil {
			return err
		}
		m, err := lockHead(ctx, tx, r.keys, o.ID)
		if err != nil {
			return err
		}
		return m.record(ctx, e)
	})
	return o, err
}

// Organization implements tokens.Repository.
func (r *Repository) Organization(ctx context.Context, org tokens.OrgID) (tokens.Organization, error) {
	var row organizationRow
	err := r.db.GetContext(ctx, &row, `SELECT id, test_id, name, created_at FROM organizations WHERE id = $1`, org)
	return row.organization(), translate(err)
}

// Organizations implements tokens.Repository.
func (r *Repository) Organizations(ctx context.Context) ([]tokens.Organization, error) {
	var rows []organizationRow
	err := r.db.SelectContext(ctx, &rows, `SELECT id, test_id, name, created_at FROM organizations ORDER BY created_at, id`)
	all := make([]tokens.Organization, len(rows))
	for i, row := range rows {
		all[i] = row.organization()
	}
	return all, translate(err)
}

type organizationRow struct {
	ID        tokens.OrgID `db:"id"`
	TestID    tokens.OrgID `db:"test_id"`
	Name      string       `db:"name"`
	CreatedAt time.Time    `db:"created_at"`
}

func (r organizationRow) organization() tokens.Organization {
	return tokens.Organization{ID: r.ID, TestID: r.TestID, Name: r.Name, CreatedAt: r.CreatedAt.UTC()}
}
