package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Due implements dispatch.Queue.
func (w *Webhooks) Due(
	ctx context.Context, after webhooks.EndpointKey, now time.Time, limit int,
) ([]webhooks.EndpointKey, *webhooks.EndpointKey, error) {
	type place struct {
		webhooks.EndpointKey
		Due bool `json:"due"`
	}
	rows, err := getJSON[[]place](ctx, w.dispatcher(), query("endpoints_with_deliveries"),
		after.Org, after.Endpoint, now, limit)
	if err != nil {
		return nil, nil, err
	}
	var due []webhooks.EndpointKey
	for _, row := range rows {
		if row.Due {
			due = append(due, row.EndpointKey)
		}
	}
	if len(rows) < limit {
		return due, nil, nil
	}
	return due, &rows[len(rows)-1].EndpointKey, nil
}

// jobRow is the row of claim_delivery.
type jobRow struct {
	EventID     uuid.UUID     `db:"event_id"`
	EventNumber sql.NullInt64 `db:"event_number"` // null: a test
	Claim       int64
	Tries       int
	CreatedAt   time.Time `db:"created_at"`
	URL         string
	Secrets     pq.ByteaArray
	Event       fromJSON[*shipments.Event] // null of a test, and where it is no longer kept
}

// Claim implements dispatch.Queue.
func (w *Webhooks) Claim(
	ctx context.Context, place webhooks.EndpointKey, now, until time.Time,
) (job webhooks.Job, ok bool, err error) {
	row, err := getRow[jobRow](
		ctx, w.tenant(ctx, place.Org), query("claim_delivery"), place.Org, place.Endpoint, now, until,
	)
	if errors.Is(err, shipments.ErrNotFound) {
		return webhooks.Job{}, false, nil
	}
	if err != nil {
		return webhooks.Job{}, false, err
	}
	if row.EventNumber.Valid && row.Event.value == nil { // it was replayed as it expired
		return webhooks.Job{}, false, execute(
			ctx, w.tenant(ctx, place.Org), query("abandon_delivery"), place.Org, place.Endpoint, row.EventID, row.Claim,
		)
	}
	job = webhooks.Job{
		EndpointKey: place, Claim: row.Claim, URL: row.URL, Tries: row.Tries,
		Event: shipments.Event{
			Org: place.Org, ID: shipments.EventID(row.EventID), Type: webhooks.Test, At: row.CreatedAt.UTC(),
		},
	}
	if row.Event.value != nil {
		job.Event = *row.Event.value
	}
	for _, sealed := range row.Secrets {
		secret, err := w.open(sealed, place.Org, place.Endpoint)
		if err != nil {
			return webhooks.Job{}, false, err
		}
		job.Secrets = append(job.Secrets, secret)
	}
	return job, true, nil
}

// Finish implements dispatch.Queue.
func (w *Webhooks) Finish(ctx context.Context, job webhooks.Job, a webhooks.Attempt, v webhooks.Verdict) error {
	_, err := getRow[int](ctx, w.tenant(ctx, job.Org), query("finish_delivery"), job.Org, job.Endpoint,
		job.Event.ID, job.Claim, v.Status, nullTime(v.Due), asJSON{[]webhooks.Attempt{a}},
		webhooks.MaxAttempts, v.Health, a.At, a.At.Add(-webhooks.MaxFailing))
	return err
}

// Overdue counts the deliveries that are due, up to 10,000.
func (w *Webhooks) Overdue(ctx context.Context, now time.Time) (float64, error) {
	return getRow[float64](ctx, w.dispatcher(), query("count_due_deliveries"), now)
}
