package postgres

import (
	"database/sql"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// listRow is a row of listSQL. Where the page is empty there is one row, of
// the total only.
type listRow struct {
	Total        int64
	ID           uuid.NullUUID
	Version      sql.NullInt64
	Status       sql.NullString
	Reference    sql.NullString
	Vessel       sql.NullString
	Origin       sql.NullString
	Destination  sql.NullString
	PalletsCount sql.NullInt64 `db:"pallets_count"`
	CreatedAt    sql.NullTime  `db:"created_at"`
	ApprovedAt   sql.NullTime  `db:"approved_at"`
}

func (r listRow) shipment() shipments.Shipment {
	return shipments.Shipment{
		ID: shipments.ID(r.ID.UUID),
		Draft: shipments.Draft{
			Reference:   r.Reference.String,
			Vessel:      r.Vessel.String,
			Origin:      r.Origin.String,
			Destination: r.Destination.String,
		},
		Status:       shipments.Status(r.Status.String),
		Version:      r.Version.Int64,
		PalletsCount: int(r.PalletsCount.Int64),
		CreatedAt:    r.CreatedAt.Time.UTC(),
		ApprovedAt:   r.ApprovedAt.Time.UTC(),
	}
}

// headRow is the row of headSQL.
type headRow struct {
	listRow
	Failing   pq.StringArray
	Documents int
}

// detailRow is the row of getSQL: the columns of a list and the parts, each
// as a JSON array.
type detailRow struct {
	listRow
	Pallets   []byte
	Checks    []byte
	Documents []byte
}

func (r detailRow) detail() (shipments.Detail, error) {
	d := shipments.Detail{Shipment: r.shipment()}
	var err error
	if d.Pallets, err = parts(r.Pallets, palletRow.pallet); err != nil {
		return shipments.Detail{}, err
	}
	if d.Checks, err = parts(r.Checks, checkRow.check); err != nil {
		return shipments.Detail{}, err
	}
	d.Documents, err = parts(r.Documents, documentRow.document)
	return d, err
}

// shipmentFields are a shipments.Shipment as JSON, with the names that
// importShipmentsSQL and the outbox give them.
type shipmentFields struct {
	ID           uuid.UUID        `json:"id"`
	Version      int64            `json:"version"`
	Status       shipments.Status `json:"status"`
	Reference    string           `json:"reference"`
	Vessel       string           `json:"vessel"`
	Origin       string           `json:"origin"`
	Destination  string           `json:"destination"`
	PalletsCount int              `json:"pallets_count"`
	CreatedAt    time.Time        `json:"created_at"`
	ApprovedAt   time.Time        `json:"approved_at,omitzero"`
}

func shipmentFieldsOf(s shipments.Shipment) shipmentFields {
	return shipmentFields{
		ID: uuid.UUID(s.ID), Version: s.Version, Status: s.Status,
		Reference: s.Reference, Vessel: s.Vessel, Origin: s.Origin, Destination: s.Destination,
		PalletsCount: s.PalletsCount, CreatedAt: s.CreatedAt, ApprovedAt: s.ApprovedAt,
	}
}

func (r shipmentFields) shipment() shipments.Shipment {
	return shipments.Shipment{
		ID:     shipments.ID(r.ID),
		Draft:  shipments.Draft{Reference: r.Reference, Vessel: r.Vessel, Origin: r.Origin, Destination: r.Destination},
		Status: r.Status, Version: r.Version, PalletsCount: r.PalletsCount,
		CreatedAt: r.CreatedAt.UTC(), ApprovedAt: r.ApprovedAt.UTC(),
	}
}

// importRow is a shipment that is loaded, with what its checks found.
type importRow struct {
	shipmentFields

	CheckResults []shipments.Result `json:"check_results"`
}

func importRowOf(d shipments.Detail) importRow {
	return importRow{shipmentFields: shipmentFieldsOf(d.Shipment), CheckResults: resultsOf(d.Checks)}
}

// resultsOf returns the results that checks have, each once.
func resultsOf(checks []shipments.Check) []shipments.Result {
	results := make([]shipments.Result, 0, len(shipments.Results))
	for _, c := range checks {
		if !slices.Contains(results, c.Result) {
			results = append(results, c.Result)
		}
	}
	return results
}

func nullTime(t time.Time) sql.NullTime {
	return sql.NullTime{Time: t, Valid: !t.IsZero()}
}
