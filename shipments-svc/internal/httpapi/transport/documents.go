package transport

import (
	"encoding/hex"
	"net/http"
	"strings"

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

// oneDocumentView is a document by itself, with its mappings.
type oneDocumentView struct {
	Document struct {
		documentView
		Mappings []shipments.Mapping `json:"mappings,omitempty"`
	} `json:"document"`
}

func viewOneDocument(d shipments.Document) (view oneDocumentView) {
	view.Document.documentView, view.Document.Mappings = viewDocument(d), d.Mappings
	return view
}

type documentsView struct {
	Documents []documentView `json:"documents"`
}

func encodeDocuments(_ *http.Request, all []shipments.Document) reply {
	return reply{status: http.StatusOK, body: documentsView{each(all, viewDocument)}}
}

func decodeDocument(r *http.Request) (shipments.DocumentQuery, error) {
	id, err := decodeShipmentID(r)
	if err != nil {
		return shipments.DocumentQuery{}, err
	}
	document, err := DocumentID(r.PathValue("document"))
	return shipments.DocumentQuery{Shipment: id, Document: document}, err
}

func encodeDocument(_ *http.Request, d shipments.Document) reply {
	return reply{status: http.StatusOK, body: viewOneDocument(d)}
}

func decodeDocumentOrder(r *http.Request) (shipments.DocumentOrder, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.DocumentOrder{}, err
	}
	document, err := DocumentID(r.PathValue("document"))
	return shipments.DocumentOrder{Order: order, Document: document}, err
}

func encodeReprocess(r *http.Request, d shipments.Document) reply {
	return accepted(r, "/reprocess", d)
}

// accepted is the reply to a request that has a document read again.
func accepted(r *http.Request, action string, d shipments.Document) reply {
	return reply{
		status: http.StatusAccepted,
		header: http.Header{"Location": {strings.TrimSuffix(canonicalPath(r), action)}},
		body:   viewOneDocument(d),
	}
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
