package webhooks

import (
	"context"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Repository keeps endpoints and deliveries. Every method answers for one
// organization only. Its errors are ErrNotFound, shipments.ErrUnavailable, the
// context's, or a fault of the program; writes are done whole or not at all.
type Repository interface {
	// CreateEndpoint stores an endpoint, or returns ErrTooMany.
	CreateEndpoint(ctx context.Context, org shipments.OrgID, m Made) error
	// Endpoints returns all endpoints in the order of their IDs.
	Endpoints(ctx context.Context, org shipments.OrgID) ([]Endpoint, error)
	// Endpoint returns an endpoint.
	Endpoint(ctx context.Context, org shipments.OrgID, id ID) (Endpoint, error)
	// ChangeEndpoint stores what change makes of an endpoint, and returns it.
	// ID and CreatedAt must not differ.
	ChangeEndpoint(ctx context.Context, org shipments.OrgID, id ID, change func(Endpoint) Endpoint) (Endpoint, error)
	// RotateSecret replaces an endpoint's secret. The one it had goes on signing
	// until a time, and one it had before that no longer.
	RotateSecret(ctx context.Context, org shipments.OrgID, id ID, secret Secret, now, previousUntil time.Time) (Endpoint, error)
	// DeleteEndpoint removes an endpoint. Its deliveries are no longer made.
	DeleteEndpoint(ctx context.Context, org shipments.OrgID, id ID) error

	// Deliveries returns up to limit deliveries of an endpoint: of the status,
	// if it is not empty, and of events before the given one, if it is not
	// zero; the latest event first.
	Deliveries(ctx context.Context, org shipments.OrgID, q DeliveryQuery, limit int64) ([]Delivery, error)
	// CreateTest stores the delivery of a test, due now.
	CreateTest(ctx context.Context, org shipments.OrgID, id ID, test shipments.EventID, now time.Time) error
	// Replay makes deliveries of these events due now, in whatever state they
	// are; one that is being tried just now stays as it is. If any of the
	// events does not exist it does nothing and returns which do.
	Replay(ctx context.Context, org shipments.OrgID, id ID, events []shipments.EventID, now time.Time) (found []shipments.EventID, err error)
	// ReplayRange does so with the first limit of the events that the endpoint
	// wants whose Number is higher than after and at most until. It returns how
	// many these were, and the Number of the last.
	ReplayRange(ctx context.Context, org shipments.OrgID, id ID, after, until int64, limit int, now time.Time) (n int, last int64, err error)

	// Once is that of shipments.Repository for answers that hold secrets.
	Once(ctx context.Context, org shipments.OrgID, k shipments.Key, now time.Time, do func(context.Context) ([]byte, error)) (answer []byte, replayed bool, err error)
}

// DeliveryQuery says which deliveries of an endpoint are wanted.
type DeliveryQuery struct {
	Endpoint ID
	Status   DeliveryStatus     // empty: any
	Before   *shipments.EventID // nil: from the latest on
	Limit    int64              // as in shipments.EventQuery
}
