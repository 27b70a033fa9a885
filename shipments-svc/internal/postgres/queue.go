package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Due returns, of the next limit endpoints after the given one that have
// deliveries to come, those of which one is due; and the endpoint after which
// to look on, or nil where there are no more.
func (w *Webhooks) Due(
	ctx context.Context, after webhooks.EndpointKey, now time.Time, limit int,
) ([]webhooks.EndpointKey, *webhooks.EndpointKey, error) {
	type placeRow struct {
		Org      uuid.UUID `db:"organization_id"`
		Endpoint uuid.UUID `db:"endpoint_id"`
		Due      bool
	}
	rows, err := getRows[placeRow](ctx, w.dispatcher(), "due", dueSQL, after.Org, after.Endpoint, now, limit)
	if err != nil {
		return nil, nil, err
	}
	var due []webhooks.EndpointKey
	var last webhooks.EndpointKey
	for _, row := range rows {
		if last = (webhooks.EndpointKey{Org: shipments.OrgID(row.Org), Endpoint: webhooks.ID(row.Endpoint)}); row.Due {
			due = append(due, last)
		}
	}
	if len(rows) < limit {
		return due, nil, nil
	}
	return due, &last, nil
}

// jobRow is the row of claimDeliverySQL.
type jobRow struct {
	EventID        uuid.UUID     `db:"event_id"`
	EventNumber    sql.NullInt64 `db:"event_number"` // null: a test
	Claim          int64
	Tries          int
	CreatedAt      time.Time `db:"created_at"`
	URL            string
	Secret         []byte
	PreviousSecret []byte                     `db:"previous_secret"`
	Event          fromJSON[*shipments.Event] // null of a test, and where it is no longer kept
}

// Claim leases a due delivery of an endpoint until a time, after which it can be
// claimed again. ok is false if none is due or the endpoint is disabled.
func (w *Webhooks) Claim(
	ctx context.Context, place webhooks.EndpointKey, now, until time.Time,
) (job webhooks.Job, ok bool, err error) {
	row, err := getRow[jobRow](
		ctx, w.tenant(ctx, place.Org), "claim", claimDeliverySQL, place.Org, place.Endpoint, now, until,
	)
	if errors.Is(err, shipments.ErrNotFound) {
		return webhooks.Job{}, false, nil
	}
	if err != nil {
		return webhooks.Job{}, false, err
	}
	job, err = w.job(place, row)
	if err == nil && row.EventNumber.Valid && row.Event.value == nil { // it was replayed as it expired
		return webhooks.Job{}, false, execute(
			ctx, w.tenant(ctx, place.Org), "abandon", abandonSQL, place.Org, place.Endpoint, row.EventID,
			row.Claim,
		)
	}
	return job, true, err
}

func (w *Webhooks) job(place webhooks.EndpointKey, row jobRow) (webhooks.Job, error) {
	job := webhooks.Job{
		EndpointKey: place, Claim: row.Claim, URL: row.URL, Tries: row.Tries,
		Event: shipments.Event{ID: shipments.EventID(row.EventID), Type: webhooks.Test, At: row.CreatedAt.UTC()},
	}
	for _, sealed := range [][]byte{row.Secret, row.PreviousSecret} {
		if sealed == nil {
			continue
		}
		secret, err := w.open(sealed, place.Org, place.Endpoint)
		if err != nil {
			return job, err
		}
		job.Secrets = append(job.Secrets, secret)
	}
	if row.Event.value != nil {
		job.Event = *row.Event.value
	}
	return job, nil
}

// Finish writes what became of a delivery, unless someone else claimed it
// meanwhile.
func (w *Webhooks) Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error {
	_, err := getRow[int](ctx, w.tenant(ctx, job.Org), "finish", finishSQL, job.Org, job.Endpoint,
		job.Event.ID, job.Claim, v.Status, nullTime(v.Due), asJSON{[]webhooks.Attempt{a}},
		webhooks.MaxAttempts, v.Health, a.At, a.At.Add(-webhooks.MaxFailing))
	return err
}

// Overdue counts the deliveries that are due, up to 10,000.
func (w *Webhooks) Overdue(ctx context.Context, now time.Time) (float64, error) {
	return getRow[float64](ctx, w.dispatcher(), "overdue", overdueSQL, now)
}

// Expire does what the Repository's does, and removes deliveries whose event or
// endpoint is gone. It returns how much there was to do, up to limit.
func (w *Webhooks) Expire(ctx context.Context, org shipments.OrgID, now time.Time, limit int) (int, error) {
	expired, err := w.Repository.Expire(ctx, org, now, limit)
	if err != nil {
		return 0, err
	}
	orphans, err := getRow[int](ctx, w.tenant(ctx, org), "tidy", tidySQL, org, now.Add(-shipments.EventLife), limit)
	return max(expired, orphans), err
}
