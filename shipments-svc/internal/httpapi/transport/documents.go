package transport

import (
	"encoding/hex"
	"net/http"
	"path"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type documentView struct {
	ID string `json:"id"`
	previewDocumentView
	CreatedAt   string `json:"created_at"`
	ProcessedAt string `json:"processed_at,omitempty"`
}

// previewDocumentView is a document of a dry run, which is not stored.
type previewDocumentView struct {
	Type             shipments.DocumentType   `json:"type"`
	Status           shipments.DocumentStatus `json:"status"`
	Error            shipments.Failure        `json:"error,omitzero"`
	Filename         string                   `json:"filename,omitempty"`
	ContentType      string                   `json:"content_type,omitempty"`
	Size             int64                    `json:"size_bytes,omitempty"`
	SHA256           string                   `json:"sha256"`
	RowsRead         int                      `json:"rows_read"`
	PalletsExtracted int                      `json:"pallets_extracted"`
	Declared         *declaredView            `json:"declared,omitempty"`
	Facts            []shipments.Fact         `json:"facts,omitempty"`
	Remarks          []shipments.Remark       `json:"remarks,omitempty"`
}

type declaredView struct {
	Pallets         int     `json:"pallets,omitempty"`
	Boxes           int     `json:"boxes,omitempty"`
	NetWeight       float64 `json:"net_weight_kg,omitempty"`
	ContainerNumber string  `json:"container_number,omitempty"`
}

// readDocumentView is a document by itself, with its mappings.
type readDocumentView struct {
	documentView
	Mappings []shipments.Mapping `json:"mappings,omitempty"`
}

func viewReadDocument(d shipments.Document) readDocumentView {
	return readDocumentView{viewDocument(d), d.Mappings}
}

func decodeDocument(r *http.Request) (shipments.DocumentQuery, error) {
	id, err := decodeShipmentID(r)
	if err != nil {
		return shipments.DocumentQuery{}, err
	}
	document, err := DocumentID(r.PathValue("document"))
	return shipments.DocumentQuery{Shipment: id, Document: document}, err
}

func decodeDocumentOrder(r *http.Request) (shipments.DocumentOrder, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.DocumentOrder{}, err
	}
	document, err := DocumentID(r.PathValue("document"))
	return shipments.DocumentOrder{Order: order, Document: document}, err
}

// encodeQueued is the reply to a request that has a document read again, at a path beneath it.
func encodeQueued(r *http.Request, d shipments.Document) reply {
	re := shown(http.StatusAccepted, "document", viewReadDocument)(r, d)
	re.header = http.Header{"Location": {path.Dir(canonicalPath(r))}}
	return re
}

func viewDocument(d shipments.Document) documentView {
	return documentView{FormatDocumentID(d.ID), viewPreview(d), viewTime(d.CreatedAt), viewTime(d.ProcessedAt)}
}

func viewPreview(d shipments.Document) previewDocumentView {
	view := previewDocumentView{
		Type: d.Type, Status: d.Status, Error: d.Failure, Filename: d.Filename, ContentType: d.ContentType, Size: d.Size,
		SHA256: hex.EncodeToString(d.SHA256[:]), RowsRead: d.RowsRead, PalletsExtracted: d.PalletsExtracted,
		Facts: d.Facts, Remarks: d.Remarks,
	}
	if d.Declared != (shipments.Declared{}) {
		view.Declared = &declaredView{
			d.Declared.Pallets,
			d.Declared.Boxes,
			d.Declared.NetWeight.Kilograms(),
			d.Declared.ContainerNumber,
		}
	}
	return view
}
