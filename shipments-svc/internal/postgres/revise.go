package postgres

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

var (
	// reviseSQL replaces a shipment that still has the status $3 and the version
	// $4 by $5, with the checks $6, and returns the last position of its pallets. It
	// locks the shipment until the transaction ends. Without checks they are as before.
	reviseSQL = `
WITH revised AS (
	UPDATE shipments SET (` + shipmentColumns + `, check_results) = (
		SELECT ` + shipmentColumns + `, CASE WHEN $6::json IS NULL THEN shipments.check_results
			ELSE ARRAY(SELECT DISTINCT result FROM json_populate_recordset(NULL::checks, $6::json)) END
		FROM json_populate_record(NULL::shipments, $5::json))
	WHERE organization_id = $1 AND id = $2 AND status = $3 AND version = $4
	RETURNING id
)
SELECT coalesce((SELECT max(position) FROM pallets WHERE organization_id = $1 AND shipment_id = $2), 0) FROM revised`

	// putDocumentSQL stores the document $3, or replaces it.
	putDocumentSQL = `
INSERT INTO documents (organization_id, shipment_id, ` + documentColumns + `)
SELECT $1, $2, ` + documentColumns + ` FROM json_populate_record(NULL::documents, $3::json)
ON CONFLICT (organization_id, shipment_id, id) DO UPDATE SET ` + documentUpdates
)

const (
	// readDocumentSQL takes the pallets of the document $3 away, which has others now, and
	// stores its mappings.
	readDocumentSQL = `
WITH forgotten AS (
	DELETE FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3
)
UPDATE documents SET mappings = $4 WHERE organization_id = $1 AND shipment_id = $2 AND id = $3`

	detachSQL = `
WITH detached AS (
	DELETE FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND id = $3
)
DELETE FROM pallets WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3`

	forgetChecksSQL = `
DELETE FROM checks WHERE organization_id = $1 AND shipment_id = $2`

	noteSQL = `
INSERT INTO shipment_history (organization_id, shipment_id, version, at, actor_id, actor_name, action, status,
	document_id, changes, reason, accepted)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::jsonb, 'null'))`

	// palletUsesSQL finds the SSCCs $3 in other shipments than $2. They are a
	// relation, which is joined by hash where an index does not serve: = ANY would
	// compare each pallet with each SSCC where many pallets share one.
	palletUsesSQL = `
SELECT DISTINCT p.sscc, s.reference
FROM pallets p
JOIN shipments s ON s.organization_id = $1 AND s.id = p.shipment_id
WHERE p.organization_id = $1 AND p.sscc IN (SELECT unnest($3::text[])) AND p.shipment_id <> $2
	AND s.status <> 'rejected' AND s.created_at > $4
ORDER BY p.sscc, s.reference
LIMIT $5`
)

// Documents implements shipments.Repository.
func (r *Repository) Documents(ctx context.Context, org shipments.OrgID,
	id shipments.ID,
) ([]shipments.Document, error) {
	return getJSON[[]shipments.Document](ctx, r.tenant(ctx, org), "read documents", documentsSQL, org, id)
}

// Document implements shipments.Repository.
func (r *Repository) Document(
	ctx context.Context, org shipments.OrgID, id shipments.ID, document shipments.DocumentID,
) (shipments.Document, error) {
	doc, err := getJSON[shipments.Document](ctx, r.tenant(ctx, org), "read document", documentSQL, org, id, document)
	if err == nil && doc.ID == (shipments.DocumentID{}) {
		err = shipments.ErrNoDocument
	}
	return doc, err
}

// Revise implements shipments.Repository.
func (r *Repository) Revise(ctx context.Context, org shipments.OrgID, v shipments.Revision) error {
	id, e, doc := v.From.ID, v.Entry, v.Document
	err := r.transact(ctx, org, "revise", func(tx *sqlx.Tx) (err error) {
		// exec executes a statement, unless one failed, and returns how many rows it changed.
		exec := func(query string, args ...any) (changed int64) {
			var result sql.Result
			if err == nil {
				result, err = tx.ExecContext(ctx, query, args...)
			}
			if err == nil {
				changed, err = result.RowsAffected()
			}
			return changed
		}
		var checks any
		if v.Checks != nil {
			checks = asJSON{v.Checks}
		}
		if checks != nil && len(v.SSCCs) > 0 {
			exec(lockSQL, org, "pallets")
			if err != nil {
				return err
			}
			uses, err := r.PalletUses(within(ctx, org, tx), org, id, v.SSCCs, v.After)
			if err != nil {
				return err
			}
			if !slices.Equal(uses, v.Uses) {
				return shipments.ErrVersion
			}
		}
		var last int // position of a pallet
		err = tx.GetContext(ctx, &last, reviseSQL, org, id, v.From.Status, v.From.Version, asJSON{v.To}, checks)
		if errors.Is(err, sql.ErrNoRows) {
			return shipments.ErrVersion
		}
		if v.Detached != (shipments.DocumentID{}) {
			exec(detachSQL, org, id, v.Detached)
		}
		if doc != nil {
			exec(putDocumentSQL, org, id, asJSON{doc})
			if doc.Status == shipments.Queued {
				exec(putJobSQL, org, id, doc.ID, doc.Run)
			} else if v.Lease != (shipments.Lease{}) {
				if exec(endJobSQL, org, id, doc.ID, doc.Run, v.Lease) == 0 && err == nil {
					err = shipments.ErrLost
				}
			}
			if !doc.Unfinished() && !v.Kept { // it has other pallets now
				exec(readDocumentSQL, org, id, doc.ID, asJSON{append([]shipments.Mapping{}, doc.Mappings...)})
			}
		}
		for part := range slices.Chunk(v.Pallets, maxPallets) {
			rows := each(part, func(p shipments.Pallet) palletRow { return palletRow{p, p.Label()} })
			exec(putPalletsSQL, org, id, last, asJSON{rows})
			last += len(part)
		}
		if v.Keep != nil && err == nil {
			err = r.PutTemplate(within(ctx, org, tx), org, *v.Keep)
			if errors.Is(err, shipments.ErrTooManyTemplates) { // since the correction; the reading counts
				err = nil
			}
		}
		if checks != nil {
			exec(forgetChecksSQL, org, id)
			exec(putChecksSQL, org, id, checks)
		}
		exec(noteSQL, org, id, e.Version, e.At, e.By.ID, e.By.Name, e.Action, e.Status,
			uuid.NullUUID{UUID: uuid.UUID(e.Document), Valid: e.Document != shipments.DocumentID{}},
			asJSON{append([]shipments.Change{}, e.Changes...)}, e.Reason, asJSON{e.Accepted})
		exec(announceSQL, org, asJSON{shipments.Announce(newEventID, e, v.From.Status, v.To, doc)})
		if v.From.Status != v.To.Status {
			exec(moveSQL, org, id, v.From.Status, v.To.Status)
		}
		return err
	})
	if err != nil {
		return err
	}
	notify(r.Announced)
	if doc != nil && doc.Status == shipments.Queued {
		notify(r.Queued)
	}
	return nil
}

// maxPallets is how many pallets one statement stores: few enough to be done well before the
// connection gives up on it.
const maxPallets = 500

// PalletUses implements shipments.Repository.
func (r *Repository) PalletUses(ctx context.Context, org shipments.OrgID, except shipments.ID, ssccs []string,
	after time.Time,
) ([]shipments.Use, error) {
	return getRows[shipments.Use](ctx, r.tenant(ctx, org), "pallet uses", palletUsesSQL,
		org, except, ssccs, after, shipments.MaxLocations)
}

// unneededSQL marks those of the files $2 that no document has at $3, if documents have others of them. It returns
// those that were marked before $4, whose marks it removes, as it does of files that have a document again.
const unneededSQL = `
WITH known AS MATERIALIZED (
	SELECT id FROM documents WHERE organization_id = $1 AND id = ANY ($2::uuid[])
), marked AS (
	INSERT INTO unknown_files
	SELECT $1, id, $3 FROM unnest($2::uuid[]) id WHERE id NOT IN (SELECT id FROM known) AND EXISTS (SELECT FROM known)
	ON CONFLICT DO NOTHING
), ended AS (
	DELETE FROM unknown_files
	WHERE organization_id = $1 AND document_id IN (SELECT unnest($2::uuid[])) AND EXISTS (SELECT FROM known)
		AND (marked_at < $4 OR document_id IN (SELECT id FROM known))
	RETURNING document_id
)
SELECT coalesce(json_agg(document_id ORDER BY document_id), '[]') FROM ended
WHERE document_id NOT IN (SELECT id FROM known)`

// Unneeded is a storage.Unneeded.
func (r *Repository) Unneeded(
	ctx context.Context, org shipments.OrgID, ids []shipments.DocumentID, now, markedBefore time.Time,
) ([]shipments.DocumentID, error) {
	return getJSON[[]shipments.DocumentID](
		ctx, r.tenant(ctx, org), "unneeded files", unneededSQL, org, arrayOf(ids), now, markedBefore,
	)
}
