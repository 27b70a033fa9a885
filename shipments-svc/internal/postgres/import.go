package postgres

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Import implements shipments.Repository.
func (r *Repository) Import(ctx context.Context, org shipments.OrgID, all []shipments.Detail) (int, error) {
	// Imports of the same shipments at the same time wait for each other in
	// the order of the ids, and so never in a circle.
	all = slices.SortedFunc(slices.Values(all), func(a, b shipments.Detail) int {
		return bytes.Compare(a.ID[:], b.ID[:])
	})
	rows := each(all, func(d shipments.Detail) revisedRow {
		return revisedRowOf(d.Shipment, append([]shipments.Check{}, d.Checks...))
	})
	entry := shipments.Entry{Action: shipments.Import, At: time.Now()}
	var stored []uuid.UUID
	err := r.transact(ctx, org, "import", func(tx *sqlx.Tx) error {
		stored = nil
		if err := tx.SelectContext(ctx, &stored, importShipmentsSQL, org, asJSON{rows}); err != nil {
			return err
		}
		b := &batch{ctx: ctx, tx: tx}
		for _, d := range all {
			if slices.Contains(stored, uuid.UUID(d.ID)) {
				b.storePallets(org, d.ID, 0, d.Pallets)
				b.storeChecks(org, d.ID, d.Checks)
				b.exec(announceSQL, org, asJSON{identified(shipments.Announce(entry, "", d.Shipment, nil))})
			}
		}
		return b.err
	})
	if err == nil {
		r.notify()
	}
	return len(stored), err
}

// batch executes statements of a transaction until one fails.
type batch struct {
	ctx context.Context //nolint:containedctx // that of the transaction
	tx  *sqlx.Tx
	err error
}

// exec executes a statement and returns how many rows it changed.
func (b *batch) exec(query string, args ...any) (changed int64) {
	if b.err != nil {
		return 0
	}
	result, err := b.tx.ExecContext(b.ctx, query, args...)
	if b.err = err; err == nil {
		changed, b.err = result.RowsAffected()
	}
	return changed
}

// partRows is how many rows one statement stores: few enough to be done well before the
// connection gives up on it.
const partRows = 500

// storePallets stores pallets of a shipment after the given position.
func (b *batch) storePallets(org shipments.OrgID, id shipments.ID, after int, all []shipments.Pallet) {
	for rows := range slices.Chunk(palletRows(id, after, all), partRows) {
		b.exec(importPalletsSQL, org, asJSON{rows})
	}
}

// storeChecks stores the checks of a shipment that has none.
func (b *batch) storeChecks(org shipments.OrgID, id shipments.ID, all []shipments.Check) {
	for rows := range slices.Chunk(checkRows(id, all), partRows) {
		b.exec(importChecksSQL, org, asJSON{rows})
	}
}
