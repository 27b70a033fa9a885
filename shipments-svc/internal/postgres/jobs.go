package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// putJobSQL makes a job of the document $3, or makes it anew.
	putJobSQL = `
INSERT INTO jobs AS j (organization_id, shipment_id, document_id, run) VALUES ($1, $2, $3, $4)
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
WITH RECURSIVE found (turn, ready) AS (
	(SELECT turn, claimable_at <= now() AND turn <> ALL ($4::uuid[])
		FROM jobs WHERE turn > $3 ORDER BY turn, claimable_at LIMIT 1)
	UNION ALL
	SELECT further.turn, further.claimable_at <= now() AND further.turn <> ALL ($4::uuid[])
	FROM found CROSS JOIN LATERAL (
		SELECT turn, claimable_at FROM jobs o WHERE o.turn > found.turn ORDER BY turn, claimable_at LIMIT 1
	) further
	WHERE NOT found.ready
), next AS (
	SELECT organization_id, shipment_id, document_id FROM jobs
	WHERE turn = (SELECT turn FROM found WHERE ready) AND claimable_at <= now()
	ORDER BY claimable_at LIMIT 1 FOR UPDATE SKIP LOCKED
), claimed AS (
	UPDATE jobs j SET lease = $1, attempts = j.attempts + 1, claimable_at = now() + $2 * interval '1 second'
	FROM next
	WHERE j.organization_id = next.organization_id AND j.shipment_id = next.shipment_id
		AND j.document_id = next.document_id
	RETURNING j.organization_id, j.shipment_id, j.document_id, j.run, j.attempts
)
SELECT row_to_json(job) FROM (
	SELECT coalesce(claimed.organization_id, found.turn) AS organization_id, claimed.shipment_id, claimed.document_id,
		claimed.run, claimed.attempts
	FROM found LEFT JOIN claimed ON true
	WHERE found.ready
) job`

	// jobsWaitingSQL returns for how many seconds a job has been claimable at most.
	jobsWaitingSQL = `
SELECT coalesce(extract(epoch FROM now() - min(claimable_at)), 0)::float8 FROM jobs WHERE claimable_at <= now()`

	// leaseSQL makes a job claimable in $6 seconds, under the lease $7. Without a lease
	// the attempt does not count. It returns how many jobs it changed.
	leaseSQL = `
WITH leased AS (
	UPDATE jobs SET claimable_at = now() + $6 * interval '1 second', lease = $7,
		attempts = attempts - ($7::uuid IS NULL)::int
	WHERE organization_id = $1 AND shipment_id = $2 AND document_id = $3 AND run = $4 AND lease = $5
	RETURNING 1
)
SELECT count(*) FROM leased`
)

// beginSQL marks the document $3 as being read, if it waits for its run $4. That makes no version of the shipment: no
// event announces one. It returns the document, if it is to be read in that run.
var beginSQL = `
WITH locked AS (
	SELECT id FROM shipments WHERE organization_id = $1 AND id = $2 FOR UPDATE
), begun AS (
	UPDATE documents d SET status = 'processing' FROM locked
	WHERE d.organization_id = $1 AND d.shipment_id = $2 AND d.id = $3 AND d.run = $4 AND d.status = 'queued'
)
SELECT row_to_json(d) FROM (
	SELECT ` + documentColumns + ` FROM documents WHERE organization_id = $1 AND shipment_id = $2 AND id = $3
		AND run = $4 AND status IN ('queued', 'processing') AND EXISTS (SELECT FROM locked)
) d`

// Claim implements shipments.Jobs.
func (r *Repository) Claim(ctx context.Context, lease shipments.Lease, turn shipments.Turn) (shipments.Job, error) {
	after, wrapped := turn.After, turn.After == shipments.Organization{}
	for {
		j, err := getJSON[shipments.Job](ctx, r.dispatcher(), "claim job", claimSQL, lease,
			shipments.LeaseTime.Seconds(), after, arrayOf(turn.Except))
		switch {
		case errors.Is(err, shipments.ErrNotFound) && wrapped:
			return shipments.Job{}, shipments.ErrNoJob
		case errors.Is(err, shipments.ErrNotFound):
			after, wrapped = shipments.Organization{}, true
		case err != nil:
			return shipments.Job{}, err
		case j.Document == shipments.DocumentID{}: // others claimed the organization's jobs meanwhile
			after = shipments.OrganizationOf(j.Org)
		default:
			j.Lease = lease
			return j, nil
		}
	}
}

// JobsWaiting returns for how many seconds the job has waited that has been claimable
// longest; zero if none is claimable.
func (r *Repository) JobsWaiting(ctx context.Context) (float64, error) {
	return getRow[float64](ctx, r.dispatcher(), "find waiting jobs", jobsWaitingSQL)
}

// Begin implements shipments.Jobs.
func (r *Repository) Begin(ctx context.Context, j shipments.Job) (shipments.Document, error) {
	doc, err := getJSON[shipments.Document](ctx, r.tenant(ctx, j.Org), "begin job", beginSQL,
		j.Org, j.Shipment, j.Document, j.Run)
	if errors.Is(err, shipments.ErrNotFound) {
		err = shipments.ErrLost
	}
	return doc, err
}

// Extend implements shipments.Jobs.
func (r *Repository) Extend(ctx context.Context, j shipments.Job) error {
	return r.lease(ctx, "extend job", j, shipments.LeaseTime, j.Lease)
}

// Release implements shipments.Jobs.
func (r *Repository) Release(ctx context.Context, j shipments.Job, after time.Duration) error {
	return r.lease(ctx, "release job", j, after, nil)
}

func (r *Repository) lease(ctx context.Context, doing string, j shipments.Job, until time.Duration, lease any) error {
	changed, err := getRow[int](ctx, r.tenant(ctx, j.Org), doing, leaseSQL,
		j.Org, j.Shipment, j.Document, j.Run, j.Lease, until.Seconds(), lease)
	if err == nil && changed == 0 {
		err = shipments.ErrLost
	}
	return err
}

var _ shipments.Jobs = (*Repository)(nil)
