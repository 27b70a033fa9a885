package postgres

import (
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// documentRow is a shipments.Document as SQL names its fields.
type documentRow struct {
	ID               uuid.UUID                `json:"id"`
	Type             shipments.DocumentType   `json:"type"`
	Status           shipments.DocumentStatus `json:"status"`
	Run              int                      `json:"run"`
	Filename         string                   `json:"filename"`
	ContentType      string                   `json:"content_type"`
	Kind             shipments.Kind           `json:"kind"`
	Size             int64                    `json:"size_bytes"`
	SHA256           []byte                   `json:"sha256"` // base64 in JSON
	RowsRead         int                      `json:"rows_read"`
	PalletsExtracted int                      `json:"pallets_extracted"`
	Declared         shipments.Declared       `json:"declared"`
	Facts            []factRow                `json:"facts"`
	Remarks          []remarkRow              `json:"remarks"`
	Given            []shipments.Assignment   `json:"given"`
	FailureCode      string                   `json:"failure_code"`
	FailureDetail    string                   `json:"failure_detail"`
	CreatedAt        time.Time                `json:"created_at"`
	ProcessedAt      *time.Time               `json:"processed_at"`
}

// oneDocumentRow is the result of documentSQL.
type oneDocumentRow struct {
	documentRow

	Mappings []shipments.Mapping `json:"mappings"`
}

// factRow is a shipments.Fact as it is stored.
type factRow struct {
	Kind            shipments.FactKind `json:"kind"`
	Text            string             `json:"text"`
	shipments.Place `json:"place"`
}

// remarkRow is a shipments.Remark as it is stored.
type remarkRow struct {
	Code            string `json:"code"`
	Text            string `json:"text"`
	Stage           string `json:"stage,omitempty"`
	Rule            string `json:"rule,omitempty"`
	shipments.Place `json:"place"`
}

func (r documentRow) document() shipments.Document {
	doc := shipments.Document{
		ID: shipments.DocumentID(r.ID), Type: r.Type, Status: r.Status, Run: r.Run,
		Filename: r.Filename, ContentType: r.ContentType, Kind: r.Kind, Size: r.Size, SHA256: [32]byte(r.SHA256),
		RowsRead: r.RowsRead, PalletsExtracted: r.PalletsExtracted, Declared: r.Declared,
		Failure: shipments.Failure{Code: r.FailureCode, Detail: r.FailureDetail}, CreatedAt: r.CreatedAt.UTC(),
	}
	if len(r.Given) > 0 {
		doc.Given = r.Given
	}
	for _, f := range r.Facts {
		doc.Facts = append(doc.Facts, shipments.Fact(f))
	}
	for _, m := range r.Remarks {
		doc.Remarks = append(doc.Remarks, shipments.Remark(m))
	}
	if r.ProcessedAt != nil {
		doc.ProcessedAt = r.ProcessedAt.UTC()
	}
	return doc
}

func documentRowOf(doc shipments.Document) documentRow {
	row := documentRow{
		ID: uuid.UUID(doc.ID), Type: doc.Type, Status: doc.Status, Run: doc.Run,
		Filename: doc.Filename, ContentType: doc.ContentType, Kind: doc.Kind, Size: doc.Size, SHA256: doc.SHA256[:],
		RowsRead: doc.RowsRead, PalletsExtracted: doc.PalletsExtracted, Declared: doc.Declared,
		Facts: make([]factRow, len(doc.Facts)), Remarks: make([]remarkRow, len(doc.Remarks)),
		Given:       append([]shipments.Assignment{}, doc.Given...),
		FailureCode: doc.Failure.Code, FailureDetail: doc.Failure.Detail, CreatedAt: doc.CreatedAt,
	}
	for i, f := range doc.Facts {
		row.Facts[i] = factRow(f)
	}
	for i, m := range doc.Remarks {
		row.Remarks[i] = remarkRow(m)
	}
	if !doc.ProcessedAt.IsZero() {
		row.ProcessedAt = &doc.ProcessedAt
	}
	return row
}
