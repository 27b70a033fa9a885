package postgres

import (
	"context"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// AddComment implements shipments.Repository.
func (r *Repository) AddComment(
	ctx context.Context, org shipments.OrgID, of, id shipments.ID, c shipments.Comment,
) error {
	added, err := getRow[int](ctx, r.tenant(ctx, org), query("insert_comment"),
		org, of, id, c.At, c.By.ID, c.By.Name, c.Text, shipments.MaxComments)
	if err == nil && added == 0 {
		return shipments.ErrTooManyComments
	}
	return err
}

// Comments implements shipments.Repository.
func (r *Repository) Comments(ctx context.Context, org shipments.OrgID, id shipments.ID) ([]shipments.Comment, error) {
	return getJSON[[]shipments.Comment](ctx, r.tenant(ctx, org), query("read_comments"), org, id)
}
