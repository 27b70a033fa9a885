// Package postgres is the Repository on PostgreSQL 15 or newer, and what it
// takes to be calm when that is away.
//
// Guarantees: each method sees and leaves one consistent state; a list's
// total and rows come from one snapshot, are exact, and cost milliseconds
// however deep the page lies, unless a reference or check result is asked for,
// where the cost grows with how many shipments have it; every query finds its rows by an index that
// begins with the organization, and if it did not ask for one, would find
// nothing of another; no call outlasts Budget by more than one
// exchange with the server, and one that could not be served for want of
// Postgres says shipments.ErrUnavailable.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Repository implements shipments.Repository. It is safe for concurrent use.
type Repository struct {
	db        *sqlx.DB
	announced chan struct{}
	replica   *replica // nil: there is none
}

// NewRepository returns a Repository on a pool that Open returned.
func NewRepository(db *sqlx.DB) *Repository {
	return &Repository{db: db, announced: make(chan struct{}, 1)}
}

// Ready reports whether Postgres answers and holds the schema.
func (r *Repository) Ready(ctx context.Context) error {
	var n int
	return failure("ready", r.reads(ctx, shipments.OrgID{}).GetContext(ctx, &n, readySQL))
}

// Get implements shipments.Repository.
func (r *Repository) Get(ctx context.Context, org shipments.OrgID, id shipments.ID) (shipments.Detail, error) {
	var row detailRow
	if err := r.reads(ctx, org).GetContext(ctx, &row, getSQL, uuid.UUID(org), uuid.UUID(id)); err != nil {
		return shipments.Detail{}, failure("get", err)
	}
	d, err := row.detail()
	return d, failure("get", err)
}

// Head implements shipments.Repository.
func (r *Repository) Head(ctx context.Context, org shipments.OrgID, id shipments.ID) (shipments.Head, error) {
	var row headRow
	if err := r.reads(ctx, org).GetContext(ctx, &row, headSQL, uuid.UUID(org), uuid.UUID(id)); err != nil {
		return shipments.Head{}, failure("head", err)
	}
	return shipments.Head{Shipment: row.shipment(), Failing: row.Failing, Documents: row.Documents}, nil
}

// Create implements shipments.Repository.
func (r *Repository) Create(ctx context.Context, org shipments.OrgID, s shipments.Shipment, by shipments.TokenID) error {
	k := keyOf(s, s.Status)
	events, err := announcements(shipments.Entry{Action: shipments.Create, At: s.CreatedAt}, "", s, nil)
	if err != nil {
		return failure("create", err)
	}
	_, err = r.writes(ctx, org).ExecContext(ctx, createSQL, uuid.UUID(org), uuid.UUID(s.ID), s.Version, string(s.Status),
		s.Reference, s.Vessel, s.Origin, s.Destination, s.PalletsCount, s.CreatedAt, nullTime(s.ApprovedAt),
		k.day, k.shard, string(by), events)
	if err == nil {
		r.ring()
	}
	return failure("create", err)
}

// failure turns an error of the database into one that the domain knows.
func failure(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return shipments.ErrNotFound
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	case Unavailable(err):
		return fmt.Errorf("%s: %w: %w", doing, shipments.ErrUnavailable, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

var _ shipments.Repository = (*Repository)(nil)
