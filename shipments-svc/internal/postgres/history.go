package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// historyChanges returns the changes of an entry, never nil.
func historyChanges(e shipments.Entry) []shipments.Change {
	return append([]shipments.Change{}, e.Changes...)
}

// History implements shipments.Repository.
func (r *Repository) History(
	ctx context.Context, org shipments.OrgID, id shipments.ID, offset, limit int64,
) ([]shipments.Entry, int64, error) {
	row, err := getRow[page[shipments.Entry]](
		ctx, r.tenant(ctx, org), "read history", historySQL, uuid.UUID(org), uuid.UUID(id), offset, limit,
	)
	return row.Elements.value, row.Total, err
}
