// Package postgres implements the Repository on PostgreSQL 15 or newer.
//
// Guarantees: each method sees and leaves one consistent state; a list's
// total and rows come from one snapshot, are exact, and cost milliseconds
// however deep the page lies, unless more than a status is asked for, where the
// cost grows with how many shipments are found; every query finds its rows by an
// index that begins with the organization, and row-level security hides rows of
// others; no call outlasts RequestTimeout by more than one exchange with the
// server, and if Postgres is unavailable the error is shipments.ErrUnavailable.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Repository implements shipments.Repository. It is safe for concurrent use.
type Repository struct {
	// Announced, Queued and WebhooksDue receive a value after this process changed something: for the
	// relay, the workers and the dispatcher of webhooks. One value stands for several changes if
	// nothing receives.
	Announced, Queued, WebhooksDue chan struct{}

	db     *sqlx.DB
	places *limit.Shares[shipments.Organization] // nil: statements take none
}

// places are taken before a connection of the common pool, so that none is waited for because of another organization.
// The connections beyond them are for statements that belong to no organization.
var places = limit.Config{Total: postgres.MaxConns - 4, Each: 4, Queue: 100, Wait: RequestTimeout}

// NewRepository returns a Repository on a pool that Open returned.
func NewRepository(db *sqlx.DB) *Repository {
	return &Repository{
		Announced: make(chan struct{}, 1), Queued: make(chan struct{}, 1), WebhooksDue: make(chan struct{}, 1),
		db: db, places: limit.New[shipments.Organization](places),
	}
}

// On returns the repository on another pool, which requests do not use, with the same signals.
func (r *Repository) On(db *sqlx.DB) *Repository {
	on := *r
	on.db, on.places = db, nil
	return &on
}

// Ready reports whether Postgres answers and every migration of this program was
// applied.
func (r *Repository) Ready(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	missing, err := getRow[int](ctx, r.tenant(ctx, shipments.OrgID{}), query("missing_migrations"), files)
	if err == nil && missing > 0 {
		err = fmt.Errorf("ready: %d migrations were not applied; run migrate up", missing)
	}
	return err
}

// readTimeout is the time for reading a shipment, which may be large.
const readTimeout = 2 * RequestTimeout

// Get implements shipments.Repository.
func (r *Repository) Get(
	ctx context.Context, org shipments.OrgID, id shipments.ID, p shipments.Parts, atMost int64,
) (shipments.Detail, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout) // ctx may be of a request that waits for other things, too
	defer cancel()
	return getJSON[shipments.Detail](ctx, r.tenant(ctx, org), query("read_shipment"),
		org, id, atMost, p.Pallets, p.Document)
}

// Lines implements shipments.Repository.
func (r *Repository) Lines(
	ctx context.Context, org shipments.OrgID, id shipments.ID, offset, limit int64,
) (shipments.PalletsPage, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return getJSON[shipments.PalletsPage](ctx, r.tenant(ctx, org), query("read_pallet_lines"), org, id, offset, limit)
}

// Head implements shipments.Repository.
func (r *Repository) Head(ctx context.Context, org shipments.OrgID, id shipments.ID) (shipments.Head, error) {
	return getJSON[shipments.Head](ctx, r.tenant(ctx, org), query("read_head"), org, id)
}

// Versions implements shipments.Repository.
func (r *Repository) Versions(
	ctx context.Context, org shipments.OrgID, ids []shipments.ID,
) (map[shipments.ID]int64, error) {
	return getJSON[map[shipments.ID]int64](ctx, r.tenant(ctx, org), query("read_versions"), org, arrayOf(ids))
}

// Create implements shipments.Repository.
func (r *Repository) Create(ctx context.Context, org shipments.OrgID, s shipments.Shipment, by shipments.Actor) error {
	e := shipments.Entry{Action: shipments.Create, At: s.CreatedAt}
	err := execute(ctx, r.tenant(ctx, org), query("create_shipment"), org, asJSON{s},
		asJSON{shipments.Announce(newEventID, e, "", s, nil)}, by.ID, by.Name)
	if err == nil {
		notify(r.Announced)
	}
	return err
}

// failure converts an error of the database to one of the domain's.
func failure(doing string, err error) error {
	pgErr, ok := errors.AsType[*pq.Error](err)
	switch {
	case ok && pgErr.Code == "QS001": // of search_shipments
		return shipments.ErrTooBroad
	case errors.Is(err, sql.ErrNoRows):
		return shipments.ErrNotFound
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	case postgres.Unavailable(err):
		return fmt.Errorf("%s: %w: %w", doing, shipments.ErrUnavailable, err)
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// missing returns the error of a statement about a thing, whose absence is this error.
func missing(err, absent error) error {
	if errors.Is(err, shipments.ErrNotFound) {
		return absent
	}
	return err
}

var _ shipments.Repository = (*Repository)(nil)

// Delete implements shipments.Repository.
func (r *Repository) Delete(ctx context.Context, org shipments.OrgID, s shipments.Shipment, e shipments.Entry) error {
	events := shipments.Announce(newEventID, e, s.Status, s, nil) // as it was, for it has become nothing
	deleted, err := getRow[int](ctx, r.tenant(ctx, org), query("delete_shipment"), org, s.ID,
		s.Status, s.Version, asJSON{events}, newEventID(), e.At, e.By.ID, e.By.Name)
	if err != nil {
		return err
	}
	if deleted == 0 {
		return shipments.ErrVersion
	}
	notify(r.Announced)
	return nil
}

// History implements shipments.Repository.
func (r *Repository) History(
	ctx context.Context, org shipments.OrgID, id shipments.ID, offset, limit int64,
) ([]shipments.Entry, int64, error) {
	on := r.tenant(ctx, org)
	row, err := getRow[page[shipments.Entry]](ctx, on, query("read_history"), org, id, offset, limit)
	return row.Elements.value, row.Total, err
}

// Note implements webhooks.Repository.
func (r *Repository) Note(ctx context.Context, org shipments.OrgID, a shipments.Activity) error {
	return execute(ctx, r.tenant(ctx, org), query("insert_activity"),
		org, newEventID(), a.At, a.By.ID, a.By.Name, a.Action, a.Subject, a.Name)
}

// Activity implements shipments.Repository.
func (r *Repository) Activity(
	ctx context.Context, org shipments.OrgID, offset, limit int64,
) ([]shipments.Activity, int64, error) {
	on := r.tenant(ctx, org)
	row, err := getRow[page[shipments.Activity]](ctx, on, query("read_activity"), org, offset, limit)
	return row.Elements.value, row.Total, err
}
