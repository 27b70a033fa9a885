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

// importBatch is how many rows one statement stores: few enough to be done
// well before the connection gives up on it.
const importBatch = 500

// Import implements shipments.Repository.
func (r *Repository) Import(ctx context.Context, org shipments.OrgID, all []shipments.Detail) (int, error) {
	// Imports of the same shipments at the same time wait for each other in
	// the order of the ids, and so never in a circle.
	all = slices.SortedFunc(slices.Values(all), func(a, b shipments.Detail) int {
		return bytes.Compare(a.ID[:], b.ID[:])
	})
	at := time.Now()
	var stored int
	err := r.transact(ctx, org, "import", func(tx *sqlx.Tx) error {
		stored = 0
		counted := counts{}
		for batch := range slices.Chunk(all, importBatch) {
			added, err := store(ctx, tx, org, batch, at)
			if err != nil {
				return err
			}
			stored += len(added)
			for _, d := range added {
				counted.add(d.Shipment, 1)
			}
		}
		return counted.apply(ctx, tx, org)
	})
	if err == nil {
		r.notify()
	}
	return stored, err
}

// store stores those shipments of a batch that are not there yet, with their
// parts, announces and returns them.
func store(
	ctx context.Context, tx *sqlx.Tx, org shipments.OrgID, batch []shipments.Detail, at time.Time,
) ([]shipments.Detail, error) {
	rows := each(batch, func(d shipments.Detail) revisedRow {
		return revisedRowOf(d.Shipment, append([]shipments.Check{}, d.Checks...))
	})
	var ids []uuid.UUID
	if err := tx.SelectContext(ctx, &ids, importShipmentsSQL, uuid.UUID(org), asJSON{rows}); err != nil {
		return nil, err
	}
	added := slices.DeleteFunc(slices.Clone(batch), func(d shipments.Detail) bool {
		return !slices.Contains(ids, uuid.UUID(d.ID))
	})
	var pallets []palletRow
	var checks []checkRow
	var events []shipments.Event
	for _, d := range added {
		events = append(events, shipments.Announce(shipments.Entry{Action: shipments.Import, At: at}, "", d.Shipment, nil)...)
		pallets = append(pallets, palletRows(d.ID, 0, d.Pallets)...)
		checks = append(checks, checkRows(d.ID, d.Checks)...)
	}
	if err := storeParts(ctx, tx, org, importPalletsSQL, pallets); err != nil {
		return nil, err
	}
	if err := storeParts(ctx, tx, org, announceSQL, identified(events)); err != nil {
		return nil, err
	}
	return added, storeParts(ctx, tx, org, importChecksSQL, checks)
}

func storeParts[Row any](ctx context.Context, tx *sqlx.Tx, org shipments.OrgID, query string, rows []Row) error {
	for batch := range slices.Chunk(rows, importBatch) {
		if _, err := tx.ExecContext(ctx, query, uuid.UUID(org), asJSON{batch}); err != nil {
			return err
		}
	}
	return nil
}
