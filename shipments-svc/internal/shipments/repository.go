package shipments

import "context"

// Repository keeps shipments. Every method answers for one organization
// only. Its errors are ErrNotFound, ErrUnavailable, the context's, or a fault
// of the program; writes are done whole or not at all.
type Repository interface {
	// List returns up to limit of the shipments that meet the filter, in the
	// order that Page states, after the first offset ones, and the number
	// there are in all; both as of one instant. The filter's times are whole
	// milliseconds.
	List(ctx context.Context, org OrgID, f Filter, offset, limit int64) ([]Shipment, int64, error)

	// Get returns a shipment with its parts as of one instant, or
	// ErrNotFound.
	Get(ctx context.Context, org OrgID, id ID) (Detail, error)

	// Create stores a shipment that has no parts.
	Create(ctx context.Context, org OrgID, s Shipment) error

	// Import stores shipments with their parts, all of them or, on an error,
	// none. One whose ID the organization has already is left as it is. It
	// returns the number of those it stored.
	Import(ctx context.Context, org OrgID, all []Detail) (int, error)
}
