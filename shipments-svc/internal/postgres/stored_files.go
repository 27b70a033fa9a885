package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/documents/sweeper"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	storeSQL = `
SELECT identity FROM file_store`

	// bindStoreSQL binds the database to the store $1 unless it is bound.
	bindStoreSQL = `
INSERT INTO file_store (identity) VALUES ($1) ON CONFLICT DO NOTHING`

	adoptStoreSQL = `
INSERT INTO file_store (identity) VALUES ($1) ON CONFLICT ((true)) DO UPDATE SET identity = excluded.identity`

	knownSQL = `
SELECT id FROM documents WHERE organization_id = $1 AND id = ANY ($2::uuid[])`

	// quarantineSQL puts those of the files $3 of the store $2 that have no
	// document into quarantine at $4, unless they are in it, and takes the others
	// out. It returns those that have none.
	quarantineSQL = `
WITH known AS MATERIALIZED (
	SELECT id FROM documents WHERE organization_id = $1 AND id = ANY ($3::uuid[])
), released AS (
	DELETE FROM file_quarantine WHERE organization_id = $1 AND document_id IN (SELECT id FROM known)
)
INSERT INTO file_quarantine AS q (organization_id, document_id, store, since)
SELECT DISTINCT $1::uuid, given, $2::uuid, $4::timestamptz FROM unnest($3::uuid[]) given
WHERE given NOT IN (SELECT id FROM known)
ON CONFLICT (organization_id, document_id) DO UPDATE
SET store = excluded.store, since = CASE WHEN q.store = excluded.store THEN q.since ELSE excluded.since END
RETURNING document_id, since`

	// expireFilesSQL takes those of the files $3 of the store $2 out of quarantine
	// that are in it since $4 or longer and have no document.
	expireFilesSQL = `
DELETE FROM file_quarantine q
WHERE organization_id = $1 AND store = $2 AND document_id = ANY ($3::uuid[]) AND since <= $4
	AND NOT EXISTS (SELECT FROM documents d WHERE d.organization_id = $1 AND d.id = q.document_id)
RETURNING document_id`
)

// StoreID implements sweeper.Ledger.
func (r *Repository) StoreID(ctx context.Context) (shipments.StoreID, error) {
	id, err := getRow[uuid.UUID](ctx, r.dispatches(ctx), "store", storeSQL)
	if errors.Is(err, shipments.ErrNotFound) {
		return shipments.StoreID{}, nil
	}
	return shipments.StoreID(id), err
}

// BindStore implements sweeper.Ledger.
func (r *Repository) BindStore(ctx context.Context, id shipments.StoreID) (shipments.StoreID, error) {
	if err := execute(ctx, r.claims(ctx), "bind store", bindStoreSQL, uuid.UUID(id)); err != nil {
		return shipments.StoreID{}, err
	}
	return r.StoreID(ctx)
}

// AdoptStore implements sweeper.Ledger.
func (r *Repository) AdoptStore(ctx context.Context, id shipments.StoreID) error {
	return execute(ctx, r.claims(ctx), "adopt store", adoptStoreSQL, uuid.UUID(id))
}

// Known implements sweeper.Ledger.
func (r *Repository) Known(ctx context.Context, org shipments.OrgID,
	ids []shipments.DocumentID,
) (map[shipments.DocumentID]bool, error) {
	there, err := getRows[uuid.UUID](ctx, r.reads(ctx, org), "known documents", knownSQL, uuid.UUID(org), arrayOf(ids))
	known := make(map[shipments.DocumentID]bool, len(there))
	for _, id := range there {
		known[shipments.DocumentID(id)] = true
	}
	return known, err
}

// Quarantine implements sweeper.Ledger.
func (r *Repository) Quarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID,
	ids []shipments.DocumentID, now time.Time,
) (map[shipments.DocumentID]time.Time, error) {
	type fileRow struct {
		Document uuid.UUID `db:"document_id"`
		Since    time.Time
	}
	rows, err := getRows[fileRow](ctx, r.writes(ctx, org), "quarantine files", quarantineSQL, uuid.UUID(org),
		uuid.UUID(store), arrayOf(ids), now)
	orphans := make(map[shipments.DocumentID]time.Time, len(rows))
	for _, row := range rows {
		orphans[shipments.DocumentID(row.Document)] = row.Since
	}
	return orphans, err
}

// ExpireQuarantine implements sweeper.Ledger.
func (r *Repository) ExpireQuarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID,
	ids []shipments.DocumentID, before time.Time,
) ([]shipments.DocumentID, error) {
	rows, err := getRows[uuid.UUID](ctx, r.writes(ctx, org), "expire quarantine", expireFilesSQL, uuid.UUID(org),
		uuid.UUID(store), arrayOf(ids), before)
	return idsOf[shipments.DocumentID](rows), err
}

var _ sweeper.Ledger = (*Repository)(nil)
