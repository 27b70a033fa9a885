package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Webhooks implements webhooks.Repository and dispatch.Queue. Secrets are
// sealed with its keys, each for its endpoint. It is safe for concurrent use.
type Webhooks struct {
	*Repository
	keys sealing.Keys
	due  func()
}

// NewWebhooks returns a Webhooks on what the repository is on. It calls due when
// it has made deliveries due.
func NewWebhooks(r *Repository, keys sealing.Keys, due func()) *Webhooks {
	return &Webhooks{r, keys, due}
}

// CreateEndpoint implements webhooks.Repository.
func (w *Webhooks) CreateEndpoint(ctx context.Context, org shipments.OrgID, m webhooks.Made) error {
	return w.transact(ctx, org, "create webhook endpoint", func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, lockSQL, lockOf(org, "webhook_endpoints")); err != nil {
			return err
		}
		var created int
		if err := tx.GetContext(ctx, &created, createEndpointSQL, org, m.ID, m.URL, m.Description,
			m.EventTypes, w.seal(m.Secret, org, m.ID), m.CreatedAt, webhooks.MaxEndpoints); err != nil {
			return err
		}
		if created == 0 {
			return webhooks.ErrTooMany
		}
		return nil
	})
}

// Endpoints implements webhooks.Repository.
func (w *Webhooks) Endpoints(ctx context.Context, org shipments.OrgID) ([]webhooks.Endpoint, error) {
	return getJSON[[]webhooks.Endpoint](ctx, w.tenant(ctx, org), "list webhook endpoints", endpointsSQL, org)
}

// Endpoint implements webhooks.Repository.
func (w *Webhooks) Endpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) (webhooks.Endpoint, error) {
	return endpoint(ctx, w.tenant(ctx, org), "get webhook endpoint", endpointSQL, org, id)
}

// endpoint runs a statement that returns an endpoint.
func endpoint(ctx context.Context, on session, doing, query string, args ...any) (webhooks.Endpoint, error) {
	e, err := getJSON[webhooks.Endpoint](ctx, on, doing, query, args...)
	return e, noEndpoint(err)
}

// noEndpoint returns the error of a statement about an endpoint.
func noEndpoint(err error) error {
	if errors.Is(err, shipments.ErrNotFound) {
		return webhooks.ErrNotFound
	}
	return err
}

// ChangeEndpoint implements webhooks.Repository.
func (w *Webhooks) ChangeEndpoint(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, change func(webhooks.Endpoint) webhooks.Endpoint,
) (webhooks.Endpoint, error) {
	var to webhooks.Endpoint
	err := w.transact(ctx, org, "update webhook endpoint", func(tx *sqlx.Tx) error {
		from, err := endpoint(ctx, session{tx: tx}, "lock", lockEndpointSQL, org, id)
		if err != nil {
			return err
		}
		to = change(from)
		_, err = tx.ExecContext(
			ctx, changeEndpointSQL, org, id, to.URL, to.Description, to.EventTypes,
			to.Status, to.Reason, to.UpdatedAt, nullTime(to.FailingSince),
		)
		return err
	})
	return to, err
}

// RotateSecret implements webhooks.Repository.
func (w *Webhooks) RotateSecret(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, secret webhooks.Secret, now, previousUntil time.Time,
) (webhooks.Endpoint, error) {
	return endpoint(ctx, w.tenant(ctx, org), "rotate webhook secret", rotateSecretSQL,
		org, id, w.seal(secret, org, id), now, previousUntil)
}

// DeleteEndpoint implements webhooks.Repository.
func (w *Webhooks) DeleteEndpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) error {
	_, err := getRow[uuid.UUID](ctx, w.tenant(ctx, org), "delete webhook endpoint", deleteEndpointSQL, org, id)
	return noEndpoint(err)
}
