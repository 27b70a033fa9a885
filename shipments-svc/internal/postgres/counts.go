package postgres

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// shards is over how many rows the counter of one status and day is spread,
// so that so many transactions can count at once.
const shards = 8

// anyStatus is the status of the counters of all shipments together. A list
// of them all would else have to sum those of every status.
const anyStatus shipments.Status = ""

// countKey names a counter within its organization.
type countKey struct {
	status shipments.Status // or anyStatus
	day    string           // UTC, as 2006-01-02
	shard  int
}

// keyOf returns the counter of a shipment in a status. Its shard follows from the id, so
// a shipment is taken from the row to which it was added and no row of the
// table is ever negative.
func keyOf(s shipments.Shipment, status shipments.Status) countKey {
	return countKey{
		status: status,
		day:    s.CreatedAt.UTC().Format(time.DateOnly),
		shard:  int(s.ID[len(s.ID)-1] % shards),
	}
}

// counts gathers by how much a transaction changes each counter.
type counts map[countKey]int64

// add counts a shipment n times more, in its status and in all.
func (c counts) add(s shipments.Shipment, n int64) {
	c[keyOf(s, anyStatus)] += n
	c[keyOf(s, s.Status)] += n
}

// apply adds to the counters. It is the last thing that a transaction does:
// the counters are what transactions wait for each other over.
func (c counts) apply(ctx context.Context, tx sqlx.ExecerContext, org shipments.OrgID) error {
	type change struct {
		Status shipments.Status `json:"status"`
		Day    string           `json:"day"`
		Shard  int              `json:"shard"`
		N      int64            `json:"n"`
	}
	changes := make([]change, 0, len(c))
	for key, n := range c {
		if n != 0 {
			changes = append(changes, change{key.status, key.day, key.shard, n})
		}
	}
	_, err := tx.ExecContext(ctx, countSQL, uuid.UUID(org), asJSON{changes})
	return err
}
