package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	templateColumns = `id, name, fingerprint, number_style, columns, created_at, updated_at`

	// templatesSQL reads the templates of the fingerprints $2; null: of all.
	templatesSQL = `
SELECT coalesce(json_agg(t), '[]') FROM (
	SELECT ` + templateColumns + ` FROM mapping_templates
	WHERE organization_id = $1 AND ($2::text[] IS NULL OR fingerprint IN (SELECT unnest($2::text[]))) ORDER BY id
) t`

	// putTemplateSQL stores a template unless there are $9 others; it returns how many
	// it stored.
	putTemplateSQL = `
WITH stored AS (
	INSERT INTO mapping_templates (organization_id, ` + templateColumns + `)
	SELECT $1, $2, $3, $4, $5, $6::jsonb, $7, $8
	WHERE (SELECT count(*) FROM mapping_templates WHERE organization_id = $1 AND fingerprint <> $4) < $9
	ON CONFLICT (organization_id, fingerprint) DO UPDATE
	SET name = excluded.name, number_style = excluded.number_style, columns = excluded.columns,
		updated_at = excluded.updated_at
	RETURNING id
)
SELECT count(*) FROM stored`

	deleteTemplateSQL = `
DELETE FROM mapping_templates WHERE organization_id = $1 AND id = $2 RETURNING id`
)

// Templates implements shipments.Repository.
func (r *Repository) Templates(ctx context.Context, org shipments.OrgID,
	fingerprints []string,
) ([]shipments.Template, error) {
	return getJSON[[]shipments.Template](ctx, r.tenant(ctx, org), "read mapping templates", templatesSQL,
		org, fingerprints)
}

// PutTemplate implements shipments.Repository.
func (r *Repository) PutTemplate(ctx context.Context, org shipments.OrgID, t shipments.Template) error {
	return r.Locked(ctx, org, shipments.TemplatesLock, func(ctx context.Context) error {
		stored, err := getRow[int](ctx, r.tenant(ctx, org), "store mapping template", putTemplateSQL,
			org, t.ID, t.Name, t.Fingerprint, t.NumberStyle, asJSON{append([]shipments.AssignedColumn{}, t.Columns...)},
			t.CreatedAt, t.UpdatedAt, shipments.MaxTemplates)
		if err == nil && stored == 0 {
			err = shipments.ErrTooManyTemplates
		}
		return err
	})
}

// DeleteTemplate implements shipments.Repository.
func (r *Repository) DeleteTemplate(ctx context.Context, org shipments.OrgID, id shipments.TemplateID) error {
	_, err := getRow[uuid.UUID](ctx, r.tenant(ctx, org), "delete mapping template", deleteTemplateSQL, org, id)
	return missing(err, shipments.ErrNoTemplate)
}
