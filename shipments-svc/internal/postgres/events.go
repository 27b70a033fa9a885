package postgres

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Events implements shipments.Repository.
func (r *Repository) Events(
	ctx context.Context, org shipments.OrgID, after, limit int64,
) ([]shipments.Event, shipments.Feed, error) {
	type eventsRow struct {
		shipments.Feed
		Events fromJSON[[]shipments.Event]
	}
	row, err := getRow[eventsRow](ctx, r.tenant(ctx, org), query("read_events"), org, after, limit)
	return row.Events.value, row.Feed, err
}

// newEventID returns the identifier of an event. Later ones are higher.
var newEventID = func() shipments.EventID { return shipments.EventID(uuid.Must(uuid.NewV7())) }

// notify signals the relay after a change that wrote events, and the workers after one that made
// a job.
func notify(signals ...chan struct{}) {
	for _, signal := range signals {
		select {
		case signal <- struct{}{}:
		default: // a signal is pending
		}
	}
}
