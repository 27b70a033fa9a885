package webhooks

import (
	"context"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Repository stores the endpoints and deliveries of organizations. Its errors are
// ErrNotFound, shipments.ErrUnavailable, the context's, or unexpected; writes are
// atomic.
type Repository interface {
	// Locked is that of shipments.Repository.
	Locked(ctx context.Context, org shipments.OrgID, things string, do func(context.Context) error) error
	// Note stores what a person or a token did to an endpoint.
	Note(ctx context.Context, org shipments.OrgID, a shipments.Activity) error
	// CreateEndpoint stores an endpoint, or returns ErrTooMany.
	CreateEndpoint(ctx context.Context, org shipments.OrgID, m EndpointWithSecret) error
	// Endpoints returns all endpoints in the order of their IDs.
	Endpoints(ctx context.Context, org shipments.OrgID) ([]Endpoint, error)
	// Endpoint returns an endpoint.
	Endpoint(ctx context.Context, org shipments.OrgID, id ID) (Endpoint, error)
	// LockEndpoint returns an endpoint, which nothing else changes until the transaction ends.
	LockEndpoint(ctx context.Context, org shipments.OrgID, id ID) (Endpoint, error)
	// UpdateEndpoint stores an endpoint in place of what it was.
	UpdateEndpoint(ctx context.Context, org shipments.OrgID, e Endpoint) error
	// RotateSecret replaces an endpoint's secret, which also signs until a time, as earlier
	// ones do until theirs; or it returns ErrTooManySecrets.
	RotateSecret(
		ctx context.Context, org shipments.OrgID, id ID, secret Secret, now, previousUntil time.Time,
	) (Endpoint, error)
	// DeleteEndpoint deletes an endpoint with its deliveries.
	DeleteEndpoint(ctx context.Context, org shipments.OrgID, id ID) error

	// Deliveries returns up to limit deliveries of an endpoint that match the query,
	// the latest event first.
	Deliveries(ctx context.Context, org shipments.OrgID, q DeliveryQuery, limit int64) ([]Delivery, error)
	// CreateTest stores a test delivery, due now.
	CreateTest(ctx context.Context, org shipments.OrgID, id ID, test shipments.EventID, now time.Time) error
	// Replay makes the deliveries of these events due now, except those with an
	// attempt in flight. If an event does not exist it changes nothing and returns
	// those that do.
	Replay(
		ctx context.Context, org shipments.OrgID, id ID, events []shipments.EventID, now time.Time,
	) (found []shipments.EventID, err error)
	// ReplayRange does so with the first limit events of the endpoint's types with a
	// Number greater than after and at most until. It returns their number, and the
	// Number of the last.
	ReplayRange(
		ctx context.Context, org shipments.OrgID, id ID, after, until int64, limit int, now time.Time,
	) (n int, last int64, err error)
}

// DeliveryQuery selects deliveries of an endpoint.
type DeliveryQuery struct {
	Endpoint ID
	Status   DeliveryStatus     // empty: any
	Before   *shipments.EventID // nil: from the latest
	Limit    int64              // as in shipments.EventQuery
}
