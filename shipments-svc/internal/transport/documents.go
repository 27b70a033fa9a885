package transport

import (
	"encoding/hex"
	"net/http"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/ids"
	"github.com/quayside/quayside/shipments-svc/internal/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type documentView struct {
	ID               string                   `json:"id,omitempty"`
	Type             shipments.DocumentType   `json:"type"`
	Status           shipments.DocumentStatus `json:"status"`
	SHA256           string                   `json:"sha256"`
	RowsRead         int                      `json:"rows_read"`
	PalletsExtracted int                      `json:"pallets_extracted"`
	Declared         *declaredView            `json:"declared,omitempty"`
	CreatedAt        string                   `json:"created_at,omitempty"`
	ProcessedAt      string                   `json:"processed_at,omitempty"`
}

type declaredView struct {
	Pallets         int     `json:"pallets,omitempty"`
	Boxes           int     `json:"boxes,omitempty"`
	NetWeight       float64 `json:"net_weight_kg,omitempty"`
	ContainerNumber string  `json:"container_number,omitempty"`
}

type oneDocumentView struct {
	Document documentView `json:"document"`
}

type attachedView struct {
	Document documentView `json:"document"`
	Checks   []checkView  `json:"checks"`
}

type documentsView struct {
	Documents []documentView `json:"documents"`
}

func decodeAttach(r *http.Request) (shipments.Attachment, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.Attachment{}, err
	}
	body, err := readJSON(r, jsonMedia)
	if err != nil {
		return shipments.Attachment{}, err
	}
	root := body.Object()
	document := root.Object("document")
	declared := document.OptionalObject("declared")
	a := shipments.Attachment{
		Order:  order,
		DryRun: root.Bool("dry_run"),
		Type:   shipments.DocumentType(document.Text("type")),
		Declared: shipments.Declared{
			Pallets:         declared.Int("pallets"),
			Boxes:           declared.Int("boxes"),
			NetWeight:       shipments.Grams(declared.Thousandths("net_weight_kg")),
			ContainerNumber: declared.Text("container_number"),
		},
	}
	for _, o := range document.Objects("pallets") {
		a.Pallets = append(a.Pallets, readPallet(o))
	}
	return a, invalid(body.Faults(), "/document", a.Faults())
}

func readPallet(o *jsonbody.Object) shipments.Pallet {
	return shipments.Pallet{
		Number:      o.Text("pallet_number"),
		ProduceName: o.Text("produce_name"),
		Calibre:     o.Text("calibre"),
		Boxes:       o.Int("boxes"),
		BoxWeight:   shipments.Grams(o.Thousandths("box_weight_kg")),
	}
}

func encodeAttach(r *http.Request, a shipments.Attached) reply {
	view := attachedView{viewDocument(a.Document), viewChecks(a.Checks)}
	if a.DryRun {
		return reply{status: http.StatusOK, body: view}
	}
	return reply{
		status: http.StatusCreated,
		header: http.Header{"Location": {r.URL.EscapedPath() + "/" + view.Document.ID}},
		body:   view,
	}
}

func decodeDocuments(r *http.Request) (shipments.ID, error) {
	if err := readParameters(r).err(); err != nil {
		return shipments.ID{}, err
	}
	return shipmentID(r)
}

func encodeDocuments(_ *http.Request, all []shipments.Document) reply {
	return reply{status: http.StatusOK, body: documentsView{viewDocuments(all)}}
}

func decodeDocument(r *http.Request) (shipments.DocumentQuery, error) {
	id, err := decodeDocuments(r)
	if err != nil {
		return shipments.DocumentQuery{}, err
	}
	document, err := documentID(r)
	return shipments.DocumentQuery{Shipment: id, Document: document}, err
}

// documentID reads the document's id in the path, as shipmentID does the
// shipment's.
func documentID(r *http.Request) (shipments.DocumentID, error) {
	id, ok := ids.Parse(documentPrefix, r.PathValue("document"))
	if !ok {
		return shipments.DocumentID{}, shipments.ErrNoDocument
	}
	return shipments.DocumentID(id), nil
}

func encodeDocument(_ *http.Request, d shipments.Document) reply {
	return reply{status: http.StatusOK, body: oneDocumentView{viewDocument(d)}}
}

func decodeDetach(r *http.Request) (shipments.Detachment, error) {
	order, err := decodeOrder(r)
	if err != nil {
		return shipments.Detachment{}, err
	}
	document, err := documentID(r)
	return shipments.Detachment{Order: order, Document: document}, err
}

func viewDocuments(all []shipments.Document) []documentView {
	views := make([]documentView, len(all))
	for i, d := range all {
		views[i] = viewDocument(d)
	}
	return views
}

// viewDocument shows a document; one that only a dry run knows has no id and
// no times.
func viewDocument(d shipments.Document) documentView {
	view := documentView{
		Type: d.Type, Status: d.Status, SHA256: hex.EncodeToString(d.SHA256[:]),
		RowsRead: d.RowsRead, PalletsExtracted: d.PalletsExtracted,
		CreatedAt: viewTime(d.CreatedAt), ProcessedAt: viewTime(d.ProcessedAt),
	}
	if d.ID != (shipments.DocumentID{}) {
		view.ID = viewDocumentID(d.ID)
	}
	if d.Declared != (shipments.Declared{}) {
		view.Declared = &declaredView{d.Declared.Pallets, d.Declared.Boxes, kilograms(d.Declared.NetWeight), d.Declared.ContainerNumber}
	}
	return view
}

func viewDocumentID(id shipments.DocumentID) string {
	return ids.Format(documentPrefix, uuid.UUID(id))
}
