package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// replicaPatience is how long any answer of a replica is awaited: what is
	// left of RequestTimeout is for the primary.
	replicaPatience = 300 * time.Millisecond

	// replicaRest is for how long a replica that failed is skipped.
	replicaRest = 5 * time.Second
)

// freshnessSQL reads the number of an organization's newest event, and whether
// there are events without one: a replica is compared by them.
//
// Each change commits with its events in the outbox, and a later transaction
// numbers them. So if the outbox is empty, a server with the newest number has
// every committed change, because WAL is replayed in order.
const freshnessSQL = `
SELECT coalesce((SELECT number FROM event_heads WHERE organization_id = $1), 0) AS newest,
	(SELECT position FROM outbox WHERE organization_id = $1 ORDER BY position LIMIT 1) IS NOT NULL AS unnumbered`

// freshness is the row of freshnessSQL.
type freshness struct {
	Newest     int64
	Unnumbered bool
}

// replica is a hot standby of Postgres that reads for organizations of which
// it has every change.
type replica struct {
	db      *sqlx.DB
	resting atomic.Int64 // until when, in nanoseconds since 1970
	served  atomic.Int64
}

// ReadFrom makes lists come from a replica, on a pool that OpenReplica
// returned, wherever they would be the same as from the primary: never does a
// list miss what was acknowledged, to whichever program. It is called before r
// is used.
func (r *Repository) ReadFrom(db *sqlx.DB) { r.replica = &replica{db: db} }

// ServedByReplica returns how many lists came from the replica.
func (r *Repository) ServedByReplica() int64 {
	if r.replica == nil {
		return 0
	}
	return r.replica.served.Load()
}

// selectList runs the query of a list: on the replica if that has all that the
// primary has of the organization, and otherwise on the primary.
func (r *Repository) selectList(ctx context.Context, org shipments.OrgID, rows *[]listRow, query string, args []any) error {
	if r.replica.usable(ctx) {
		var primary freshness
		if err := r.reads(ctx, org).GetContext(ctx, &primary, freshnessSQL, uuid.UUID(org)); err != nil {
			return err
		}
		if !primary.Unnumbered && r.replica.list(ctx, org, primary.Newest, rows, query, args) {
			return nil
		}
		*rows = nil
	}
	return r.reads(ctx, org).SelectContext(ctx, rows, query, args...)
}

// usable reports whether there is a replica that may be used, and no
// transaction whose own changes only the primary knows.
func (p *replica) usable(ctx context.Context) bool {
	_, within := ctx.Value(txKey{}).(ongoing)
	return p != nil && !within && time.Now().UnixNano() >= p.resting.Load()
}

// list runs the query if the replica has the event of that number, and reports
// whether it did. A replica that fails is skipped for replicaRest.
func (p *replica) list(ctx context.Context, org shipments.OrgID, newest int64, rows *[]listRow, query string, args []any) bool {
	within, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	var its freshness
	err := once(within, p.db, tenantOf(org), true, func(tx *sqlx.Tx) error {
		if err := tx.GetContext(within, &its, freshnessSQL, uuid.UUID(org)); err != nil || its.Newest < newest {
			return err
		}
		return tx.SelectContext(within, rows, query, args...) // sees at least what the statement before it saw
	})
	switch {
	case err != nil && ctx.Err() == nil:
		p.resting.Store(time.Now().Add(replicaRest).UnixNano())
		return false
	case err != nil || its.Newest < newest:
		return false
	}
	p.served.Add(1)
	return true
}
