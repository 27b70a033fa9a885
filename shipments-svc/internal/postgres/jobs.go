package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// JobsChannel is notified, at its commit, by each transaction that makes a job.
const JobsChannel = "shipments_jobs"

const (
	// putJobSQL makes a job of the document $3, or makes it anew.
	putJobSQL = `
WITH notified AS (SELECT pg_notify('` + JobsChannel + `', ''))
INSERT INTO jobs AS j (organization_id, shipment_id, document_id, run) SELECT $1, $2, $3, $4 FROM notified
ON CONFLICT (organization_id, shipment_id, document_id) DO UPDATE
SET run = excluded.run, attempts = 0, claimable_at = now(), lease = NULL`

	// endJobSQL removes a job that still is of the run $4 and has the lease $5.
	endJobSQL = `
DELETE FROM jobs
WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3 AND run = $4 AND lease = $5`

	// claimSQL finds the first organization after $3 that has a claimable job and
	// is not one of $4, by one step in the index for each that has jobs. It gives
	// the job of it that has been claimable longest the lease $1, for $2 seconds,
	// unless others have claimed all of its jobs meanwhile. It is the one query
	// that serves all organizations at once.
	claimSQL = `
WITH RECURSIVE found (organization_id, ready) AS (
	(SELECT organization_id, claimable_at <= now() AND organization_id <> ALL ($4::uuid[])
		FROM jobs WHERE organization_id > $3 ORDER BY organization_id, claimable_at LIMIT 1)
	UNION ALL
	SELECT further.organization_id, further.claimable_at <= now() AND further.organization_id <> ALL ($4::uuid[])
	FROM found CROSS JOIN LATERAL (
		SELECT organization_id, claimable_at FROM jobs o WHERE o.organization_id > found.organization_id
		ORDER BY organization_id, claimable_at LIMIT 1
	) further
	WHERE NOT found.ready
), turn AS (
	SELECT organization_id FROM found WHERE ready
), next AS (
	SELECT organization_id, shipment_id, document_id FROM jobs
	WHERE organization_id = (SELECT organization_id FROM turn) AND claimable_at <= now()
	ORDER BY claimable_at LIMIT 1 FOR UPDATE SKIP LOCKED
), claimed AS (
	UPDATE jobs j SET lease = $1, attempts = j.attempts + 1, claimable_at = now() + $2 * interval '1 second'
	FROM next
	WHERE j.organization_id = next.organization_id AND j.shipment_id = next.shipment_id
		AND j.document_id = next.document_id
	RETURNING j.organization_id, j.shipment_id, j.document_id, j.run, j.attempts
)
SELECT turn.organization_id, claimed.shipment_id, claimed.document_id, claimed.run, claimed.attempts
FROM turn LEFT JOIN claimed ON claimed.organization_id = turn.organization_id`

	// jobsWaitingSQL returns for how many seconds a job has been claimable at most.
	jobsWaitingSQL = `
SELECT coalesce(extract(epoch FROM now() - min(claimable_at)), 0)::float8 FROM jobs WHERE claimable_at <= now()`

	// leaseSQL makes a job claimable in $6 seconds, under the lease $7. Without a lease
	// the attempt does not count.
	leaseSQL = `
UPDATE jobs SET claimable_at = now() + $6 * interval '1 second', lease = $7,
	attempts = attempts - ($7::uuid IS NULL)::int
WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3 AND run = $4 AND lease = $5`

	// lockShipmentSQL reads a shipment and locks it against changes.
	lockShipmentSQL = `
SELECT version, status FROM shipments WHERE organization_id = $1 AND id = $2 FOR UPDATE`

	// beginSQL marks the document $3 as being read, if it waits for its run $4.
	beginSQL = `
UPDATE documents SET status = 'processing'
WHERE organization_id = $1 AND shipment_id = $2 AND id = $3 AND run = $4 AND status = 'queued'`

	nextVersionSQL = `
UPDATE shipments SET version = version + 1 WHERE organization_id = $1 AND id = $2`
)

// reviseJob inserts a job for a document that waits to be read, and deletes it
// once the document is read.
func reviseJob(ctx context.Context, tx *sqlx.Tx, org shipments.OrgID, v shipments.Revision,
	doc shipments.Document,
) error {
	key := []any{uuid.UUID(org), uuid.UUID(v.From.ID), uuid.UUID(doc.ID), doc.Run}
	if doc.Status == shipments.Queued {
		_, err := tx.ExecContext(ctx, putJobSQL, key...)
		return err
	}
	if v.Lease == (shipments.Lease{}) {
		return nil
	}
	return one(tx.ExecContext(ctx, endJobSQL, append(key, uuid.UUID(v.Lease))...))
}

// claimedRow is a row of claimSQL. All but the organization are null where
// others claimed its jobs meanwhile.
type claimedRow struct {
	Org      uuid.UUID     `db:"organization_id"`
	Shipment uuid.NullUUID `db:"shipment_id"`
	Document uuid.NullUUID `db:"document_id"`
	Run      sql.NullInt64
	Attempts sql.NullInt64
}

// Claim implements shipments.Jobs.
func (r *Repository) Claim(ctx context.Context, lease shipments.Lease, turn shipments.Turn) (shipments.Job, error) {
	after, wrapped := uuid.UUID(turn.After), turn.After == shipments.OrgID{}
	for {
		row, err := getRow[claimedRow](ctx, r.dispatcher(), "claim job", claimSQL, uuid.UUID(lease),
			shipments.LeaseTime.Seconds(), after, arrayOf(turn.Except))
		switch {
		case errors.Is(err, shipments.ErrNotFound) && wrapped:
			return shipments.Job{}, shipments.ErrNoJob
		case errors.Is(err, shipments.ErrNotFound):
			after, wrapped = uuid.Nil, true
		case err != nil:
			return shipments.Job{}, err
		case !row.Document.Valid:
			after = row.Org
		default:
			return shipments.Job{
				Org: shipments.OrgID(row.Org), Shipment: shipments.ID(row.Shipment.UUID),
				Document: shipments.DocumentID(row.Document.UUID),
				Run:      int(row.Run.Int64), Attempt: int(row.Attempts.Int64), Lease: lease,
			}, nil
		}
	}
}

// JobsWaiting returns for how many seconds the job has waited that has been claimable
// longest; zero if none is claimable.
func (r *Repository) JobsWaiting(ctx context.Context) (float64, error) {
	return getRow[float64](ctx, r.dispatcher(), "find waiting jobs", jobsWaitingSQL)
}

// Begin implements shipments.Jobs.
func (r *Repository) Begin(ctx context.Context, j shipments.Job, at time.Time) error {
	return r.transact(ctx, j.Org, "begin job", func(tx *sqlx.Tx) error {
		var s struct {
			Version int64
			Status  shipments.Status
		}
		if err := tx.GetContext(ctx, &s, lockShipmentSQL, uuid.UUID(j.Org), uuid.UUID(j.Shipment)); errors.Is(err,
			sql.ErrNoRows) {
			return shipments.ErrLost
		} else if err != nil {
			return err
		}
		err := one(tx.ExecContext(ctx, beginSQL, uuid.UUID(j.Org), uuid.UUID(j.Shipment), uuid.UUID(j.Document), j.Run))
		if errors.Is(err, shipments.ErrLost) {
			return nil // it has begun, or what came of it will not be wanted
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, nextVersionSQL, uuid.UUID(j.Org), uuid.UUID(j.Shipment)); err != nil {
			return err
		}
		return note(ctx, tx, j.Org, j.Shipment, shipments.Entry{
			Version: s.Version + 1, At: at, Action: shipments.StartDocument, Status: s.Status, Document: j.Document,
		})
	})
}

// Extend implements shipments.Jobs.
func (r *Repository) Extend(ctx context.Context, j shipments.Job) error {
	return r.lease(ctx, "extend job", j, shipments.LeaseTime, uuid.NullUUID{UUID: uuid.UUID(j.Lease), Valid: true})
}

// Release implements shipments.Jobs.
func (r *Repository) Release(ctx context.Context, j shipments.Job, after time.Duration) error {
	return r.lease(ctx, "release job", j, after, uuid.NullUUID{})
}

func (r *Repository) lease(ctx context.Context, doing string, j shipments.Job, until time.Duration,
	lease uuid.NullUUID,
) error {
	return r.tenant(ctx, j.Org).run(ctx, doing, func(ctx context.Context, q sqlx.ExtContext) error {
		return one(q.ExecContext(ctx, leaseSQL, uuid.UUID(j.Org), uuid.UUID(j.Shipment), uuid.UUID(j.Document), j.Run,
			uuid.UUID(j.Lease), until.Seconds(), lease))
	})
}

// one is ErrLost unless a statement changed one row.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		return shipments.ErrLost
	}
	return err
}

var _ shipments.Jobs = (*Repository)(nil)

// reconnect is the first delay of Listen before it connects again. The longest is
// ten times that.
const reconnect = time.Second

// Listen sends a value to notified, unless its buffer is full, for each
// notification of a channel (LISTEN), until ctx ends. The DSN must lead to Postgres
// directly and not through a transaction pooler. Without a connection nothing is
// sent, so receivers poll as well.
func Listen(ctx context.Context, dsn, channel string, notified chan<- struct{}) {
	listener := pq.NewListener(dsn, reconnect, 10*reconnect, nil)
	// Both block while a server does not respond, so they are not awaited.
	go func() { _ = listener.Listen(channel) }()
	defer func() { go func() { _ = listener.Close() }() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-listener.Notify: // also after a reconnection, when one may have been missed
			select {
			case notified <- struct{}{}:
			default:
			}
		}
	}
}
