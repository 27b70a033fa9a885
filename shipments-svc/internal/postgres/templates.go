package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Templates implements shipments.Repository.
func (r *Repository) Templates(ctx context.Context, org shipments.OrgID,
	fingerprints []string,
) ([]shipments.Template, error) {
	return getJSON[[]shipments.Template](ctx, r.tenant(ctx, org), query("read_templates"),
		org, fingerprints)
}

// PutTemplate implements shipments.Repository.
func (r *Repository) PutTemplate(ctx context.Context, org shipments.OrgID, t shipments.Template) error {
	return r.Locked(ctx, org, shipments.TemplatesLock, func(ctx context.Context) error {
		stored, err := getRow[int](ctx, r.tenant(ctx, org), query("put_template"),
			org, t.ID, t.Name, t.Fingerprint, t.NumberStyle, asJSON{append([]list.AssignedColumn{}, t.Columns...)},
			t.CreatedAt, t.UpdatedAt, shipments.MaxTemplates)
		if err == nil && stored == 0 {
			err = shipments.ErrTooManyTemplates
		}
		return err
	})
}

// DeleteTemplate implements shipments.Repository.
func (r *Repository) DeleteTemplate(ctx context.Context, org shipments.OrgID, id shipments.TemplateID) error {
	_, err := getRow[uuid.UUID](ctx, r.tenant(ctx, org), query("delete_template"), org, id)
	return missing(err, shipments.ErrNoTemplate)
}
