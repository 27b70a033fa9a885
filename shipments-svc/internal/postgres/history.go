package postgres

import (
	"context"
	"database/sql"
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// historyRow is a row of historySQL.
type historyRow struct {
	Total   int64
	Version sql.NullInt64
	At      sql.NullTime
	ActorID sql.NullString `db:"actor_id"`
	Name    sql.NullString `db:"actor_name"`
	Action  sql.NullString
	Status  sql.NullString
	Reason  sql.NullString
	Changes fromJSON[[]shipments.Change]

	DocumentID uuid.NullUUID `db:"document_id"`
}

// historyChanges returns the changes of an entry, never nil.
func historyChanges(e shipments.Entry) []shipments.Change {
	return append([]shipments.Change{}, e.Changes...)
}

// History implements shipments.Repository.
func (r *Repository) History(
	ctx context.Context, org shipments.OrgID, id shipments.ID, offset, limit int64,
) ([]shipments.Entry, int64, error) {
	rows, err := getRows[historyRow](
		ctx, r.tenant(ctx, org), "read history", historySQL, uuid.UUID(org), uuid.UUID(id), offset, limit,
	)
	if err != nil {
		return nil, 0, err
	}
	if len(rows) == 0 {
		return nil, 0, shipments.ErrNotFound
	}
	total := rows[0].Total
	return each(
		slices.DeleteFunc(rows, func(row historyRow) bool { return !row.Version.Valid }), historyRow.entry,
	), total, nil
}

func (r historyRow) entry() shipments.Entry {
	e := shipments.Entry{
		Version: r.Version.Int64, At: r.At.Time.UTC(), By: shipments.Actor{ID: r.ActorID.String, Name: r.Name.String},
		Action: shipments.Action(r.Action.String), Status: shipments.Status(r.Status.String), Reason: r.Reason.String,
		Document: shipments.DocumentID(r.DocumentID.UUID),
	}
	if len(r.Changes.value) > 0 {
		e.Changes = r.Changes.value
	}
	return e
}
