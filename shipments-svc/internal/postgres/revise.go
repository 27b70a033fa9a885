package postgres

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Documents implements shipments.Repository.
func (r *Repository) Documents(ctx context.Context, org shipments.OrgID,
	id shipments.ID,
) ([]shipments.Document, error) {
	return getJSON[[]shipments.Document](ctx, r.tenant(ctx, org), query("read_documents"), org, id)
}

// Document implements shipments.Repository.
func (r *Repository) Document(
	ctx context.Context, org shipments.OrgID, id shipments.ID, document shipments.DocumentID,
) (shipments.Document, error) {
	doc, err := getJSON[shipments.Document](ctx, r.tenant(ctx, org), query("read_document"), org, id, document)
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
		exec := func(name string, args ...any) (changed int64) {
			var result sql.Result
			if err == nil {
				result, err = tx.ExecContext(ctx, query(name).text, args...)
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
			exec("lock", org, "pallets")
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
		err = tx.GetContext(ctx, &last, query("update_shipment").text,
			org, id, v.From.Status, v.From.Version, asJSON{v.To}, checks)
		if errors.Is(err, sql.ErrNoRows) {
			return shipments.ErrVersion
		}
		if v.Detached != (shipments.DocumentID{}) {
			exec("delete_document", org, id, v.Detached)
		}
		if doc != nil {
			exec("put_document", org, id, asJSON{doc})
			if doc.Status == shipments.Queued {
				exec("put_job", org, id, doc.ID, doc.Run)
			} else if v.Lease != (shipments.Lease{}) {
				if exec("end_job", org, id, doc.ID, doc.Run, v.Lease) == 0 && err == nil {
					err = shipments.ErrLost
				}
			}
			if !doc.Unfinished() && !v.Kept { // it has other pallets now
				exec("replace_document_content", org, id, doc.ID, asJSON{append([]list.Mapping{}, doc.Mappings...)})
			}
		}
		for part := range slices.Chunk(v.Pallets, maxPallets) {
			rows := each(part, func(p shipments.Pallet) palletRow { return palletRow{p, p.Label()} })
			exec("insert_pallets", org, id, last, asJSON{rows})
			last += len(part)
		}
		if v.Keep != nil && err == nil {
			err = r.PutTemplate(within(ctx, org, tx), org, *v.Keep)
			if errors.Is(err, shipments.ErrTooManyTemplates) { // since the correction; the reading counts
				err = nil
			}
		}
		if checks != nil {
			exec("delete_checks", org, id)
			exec("insert_checks", org, id, checks)
		}
		exec("insert_history", org, id, e.Version, e.At, e.By.ID, e.By.Name, e.Action, e.Status,
			uuid.NullUUID{UUID: uuid.UUID(e.Document), Valid: e.Document != shipments.DocumentID{}},
			asJSON{append([]shipments.Change{}, e.Changes...)}, e.Reason, asJSON{e.Accepted})
		exec("announce_events", org, asJSON{shipments.Announce(newEventID, e, v.From.Status, v.To, doc)})
		if v.From.Status != v.To.Status {
			exec("count_status_change", org, id, v.From.Status, v.To.Status)
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
	return getRows[shipments.Use](ctx, r.tenant(ctx, org), query("find_pallet_uses"),
		org, except, ssccs, after, shipments.MaxLocations)
}

// Unneeded is a storage.Unneeded.
func (r *Repository) Unneeded(
	ctx context.Context, org shipments.OrgID, ids []shipments.DocumentID, now, markedBefore time.Time,
) ([]shipments.DocumentID, error) {
	return getJSON[[]shipments.DocumentID](
		ctx, r.tenant(ctx, org), query("find_unneeded_files"), org, arrayOf(ids), now, markedBefore,
	)
}
