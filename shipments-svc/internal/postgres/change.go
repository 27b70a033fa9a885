package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Change implements shipments.Repository.
func (r *Repository) Change(
	ctx context.Context, org shipments.OrgID, from, to shipments.Shipment, e shipments.Entry,
) error {
	k := keyOf(from, from.Status)
	return r.swap(ctx, org, "change shipment", changeSQL, uuid.UUID(from.ID), string(from.Status), from.Version,
		asJSON{to}, string(to.Status), k.day, k.shard, e.At, e.By.ID, string(e.Action), e.Reason,
		asJSON{historyChanges(e)}, asJSON{identified(shipments.Announce(e, from.Status, to, nil))}, e.By.Name)
}

// Delete implements shipments.Repository.
func (r *Repository) Delete(ctx context.Context, org shipments.OrgID, s shipments.Shipment, e shipments.Entry) error {
	k := keyOf(s, s.Status)
	events := shipments.Announce(e, s.Status, s, nil) // as it was, for it has become nothing
	return r.swap(
		ctx, org, "delete shipment", deleteSQL, uuid.UUID(s.ID), string(s.Status), s.Version, k.day, k.shard,
		asJSON{identified(events)},
	)
}

// swap runs a statement that changes one shipment if it still is as expected.
// The organization is its first argument.
func (r *Repository) swap(ctx context.Context, org shipments.OrgID, doing, query string, args ...any) error {
	changed, err := getRow[int](ctx, r.tenant(ctx, org), doing, query, append([]any{uuid.UUID(org)}, args...)...)
	if err != nil {
		return err
	}
	if changed == 0 {
		return shipments.ErrVersion
	}
	r.notify()
	return nil
}
