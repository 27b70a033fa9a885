package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Claim implements shipments.Jobs.
func (r *Repository) Claim(ctx context.Context, lease shipments.Lease, turn shipments.Turn) (shipments.Job, error) {
	after, wrapped := turn.After, turn.After == shipments.Organization{}
	for {
		j, err := getJSON[shipments.Job](ctx, r.dispatcher(), query("claim_job"), lease,
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
	return getRow[float64](ctx, r.dispatcher(), query("longest_waiting_job"))
}

// Begin implements shipments.Jobs.
func (r *Repository) Begin(ctx context.Context, j shipments.Job) (shipments.Document, error) {
	doc, err := getJSON[shipments.Document](ctx, r.tenant(ctx, j.Org), query("begin_job"),
		j.Org, j.Shipment, j.Document, j.Run)
	if errors.Is(err, shipments.ErrNotFound) {
		err = shipments.ErrLost
	}
	return doc, err
}

// Extend implements shipments.Jobs.
func (r *Repository) Extend(ctx context.Context, j shipments.Job) error {
	return r.lease(ctx, j, shipments.LeaseTime, j.Lease)
}

// Release implements shipments.Jobs.
func (r *Repository) Release(ctx context.Context, j shipments.Job, after time.Duration) error {
	return r.lease(ctx, j, after, nil)
}

func (r *Repository) lease(ctx context.Context, j shipments.Job, until time.Duration, lease any) error {
	changed, err := getRow[int](ctx, r.tenant(ctx, j.Org), query("lease_job"),
		j.Org, j.Shipment, j.Document, j.Run, j.Lease, until.Seconds(), lease)
	if err == nil && changed == 0 {
		err = shipments.ErrLost
	}
	return err
}

var _ shipments.Jobs = (*Repository)(nil)
