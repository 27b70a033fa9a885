package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/documents/sweeper"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const knownSQL = `
SELECT id FROM documents WHERE organization_id = $1 AND id = ANY ($2::uuid[])`

// Known implements sweeper.Ledger.
func (r *Repository) Known(ctx context.Context, org shipments.OrgID,
	ids []shipments.DocumentID,
) (map[shipments.DocumentID]bool, error) {
	there, err := getRows[uuid.UUID](ctx, r.tenant(ctx, org), "known documents", knownSQL, org, arrayOf(ids))
	known := make(map[shipments.DocumentID]bool, len(there))
	for _, id := range there {
		known[shipments.DocumentID(id)] = true
	}
	return known, err
}

var _ sweeper.Ledger = (*Repository)(nil)
