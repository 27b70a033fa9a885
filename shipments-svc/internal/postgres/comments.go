package postgres

import (
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// AddComment implements shipments.Repository.
func (r *Repository) AddComment(
	ctx context.Context, org shipments.OrgID, of, id shipments.ID, c shipments.Comment,
) (bool, error) {
	return getRow[bool](ctx, r.tenant(ctx, org), query("insert_comment"),
		org, of, id, c.At, c.By.ID, c.By.Name, c.Text, shipments.MaxComments)
}

// Comments implements shipments.Repository.
func (r *Repository) Comments(ctx context.Context, org shipments.OrgID, id shipments.ID) ([]shipments.Comment, error) {
	return getJSON[[]shipments.Comment](ctx, r.tenant(ctx, org), query("read_comments"), org, id)
}
