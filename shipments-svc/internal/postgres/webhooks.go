package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Webhooks implements webhooks.Repository and dispatch.Queue. Secrets are
// sealed with its keys, each for its endpoint. It is safe for concurrent use.
type Webhooks struct {
	*Repository
	keys sealing.Keys
}

// NewWebhooks returns a Webhooks on what the repository is on.
func NewWebhooks(r *Repository, keys sealing.Keys) *Webhooks { return &Webhooks{r, keys} }

// CreateEndpoint implements webhooks.Repository.
func (w *Webhooks) CreateEndpoint(ctx context.Context, org shipments.OrgID, m webhooks.EndpointWithSecret) error {
	return w.Locked(ctx, org, webhooks.EndpointsLock, func(ctx context.Context) error {
		created, err := getRow[int](ctx, w.tenant(ctx, org), query("create_endpoint"),
			org, m.ID, m.URL, m.Description, m.EventTypes, w.seal(m.Secret, org, m.ID), m.CreatedAt, webhooks.MaxEndpoints)
		if err == nil && created == 0 {
			err = webhooks.ErrTooMany
		}
		return err
	})
}

// Endpoints implements webhooks.Repository.
func (w *Webhooks) Endpoints(ctx context.Context, org shipments.OrgID) ([]webhooks.Endpoint, error) {
	return getJSON[[]webhooks.Endpoint](ctx, w.tenant(ctx, org), query("read_endpoints"), org)
}

// Endpoint implements webhooks.Repository.
func (w *Webhooks) Endpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) (webhooks.Endpoint, error) {
	return endpoint(ctx, w.tenant(ctx, org), query("read_endpoint"), org, id)
}

// endpoint runs a statement that returns an endpoint.
func endpoint(ctx context.Context, on session, q statement, args ...any) (webhooks.Endpoint, error) {
	e, err := getJSON[webhooks.Endpoint](ctx, on, q, args...)
	return e, missing(err, webhooks.ErrNotFound)
}

// LockEndpoint implements webhooks.Repository.
func (w *Webhooks) LockEndpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) (webhooks.Endpoint, error) {
	return endpoint(ctx, w.tenant(ctx, org), query("lock_endpoint"), org, id)
}

// UpdateEndpoint implements webhooks.Repository.
func (w *Webhooks) UpdateEndpoint(ctx context.Context, org shipments.OrgID, e webhooks.Endpoint) error {
	_, err := getRow[uuid.UUID](ctx, w.tenant(ctx, org), query("update_endpoint"), org, e.ID, e.URL, e.Description,
		e.EventTypes, e.Status, e.Reason, e.UpdatedAt, nullTime(e.FailingSince))
	return missing(err, webhooks.ErrNotFound)
}

// RotateSecret implements webhooks.Repository.
func (w *Webhooks) RotateSecret(
	ctx context.Context, org shipments.OrgID, id webhooks.ID, secret webhooks.Secret, now, previousUntil time.Time,
) (webhooks.Endpoint, error) {
	e, err := endpoint(ctx, w.tenant(ctx, org), query("rotate_secret"),
		org, id, w.seal(secret, org, id), now, previousUntil, webhooks.MaxSecrets-2)
	if errors.Is(err, webhooks.ErrNotFound) {
		if _, none := w.Endpoint(ctx, org, id); none == nil {
			err = webhooks.ErrTooManySecrets
		}
	}
	return e, err
}

// DeleteEndpoint implements webhooks.Repository.
func (w *Webhooks) DeleteEndpoint(ctx context.Context, org shipments.OrgID, id webhooks.ID) error {
	_, err := getRow[uuid.UUID](ctx, w.tenant(ctx, org), query("delete_endpoint"), org, id)
	return missing(err, webhooks.ErrNotFound)
}
