package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/limit"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// formMedia is the media type of a form with files (RFC 7578).
const formMedia = "multipart/form-data"

type attachedView struct {
	Document documentView `json:"document"`
	Checks   []checkView  `json:"checks"`
}

// previewView is the result of a dry run.
type previewView struct {
	Document previewDocumentView `json:"document"`
	Checks   []checkView         `json:"checks"`
	Mappings []shipments.Mapping `json:"mappings,omitempty"`
}

const (
	// maxReceived is how many bytes the bodies of documents that are received and
	// processed at once may have, which are in memory; maxReceivedOf is how many of
	// them may be one organization's.
	maxReceived   = 192 << 20
	maxReceivedOf = 48 << 20
	// maxReading is how many dry runs and large JSON bodies are processed at once, each
	// with up to 256 MiB; maxReadingOf is how many of one organization.
	maxReading   = 2
	maxReadingOf = 1
	// fewValues is how many values a JSON body may have that is processed beside any
	// number of others.
	fewValues = 10_000
)

// Uploads admits bodies with documents, of the API and of pages together.
type Uploads struct{ receiving, reading *limit.Limit[shipments.OrgID] }

// NewUploads returns Uploads. A process has one.
func NewUploads() *Uploads {
	return &Uploads{
		limit.New[shipments.OrgID](maxReceived, maxReceivedOf), limit.New[shipments.OrgID](maxReading, maxReadingOf),
	}
}

// decode reads a request of the API that attaches a document.
func (u *Uploads) decode(r *http.Request) (a shipments.Attachment, err error) {
	order, err := decodeOrder(r)
	if err != nil {
		return a, err
	}
	c, body := callerOf(r.Context()), r.Body
	if a, err = u.Receive(c.writer, r, c.org, order); err != nil {
		return a, err
	}
	// A retry of a form has another boundary.
	if keyed, ok := body.(*idempotency.Body); ok && a.File != nil && a.File.Field == "" {
		keyed.SetFingerprint(
			sha256.Sum256(fmt.Appendf(nil, "form %q %q %t %x", a.Type, a.File.Filename, a.DryRun, a.File.SHA256)),
		)
	}
	return a, nil
}

// Receive reads a document: as a form, or as JSON that has the file in base64 or the pallets
// themselves. It is admitted before it is received. The request must have passed Admitted, and is
// admitted until its handler has returned.
func (u *Uploads) Receive(
	w http.ResponseWriter, r *http.Request, org shipments.OrgID, order shipments.Order,
) (a shipments.Attachment, err error) {
	// A large request has the time that it may take. Writers without deadlines are accepted.
	control, until := http.NewResponseController(w), time.Now().Add(uploadTimeout)
	_, _ = control.SetReadDeadline(until), control.SetWriteDeadline(until.Add(answerTimeout))
	r.Body = http.MaxBytesReader(w, r.Body, maxDocument)
	size := min(r.ContentLength, maxDocument)
	if size < 0 { // it is not known
		size = maxDocument
	}
	if err := u.receiving.Enter(r.Context(), org, size); err != nil {
		return a, err
	}
	media, err := mediaType(r.Header, jsonMedia, formMedia)
	if err != nil {
		return a, err
	}
	read := func(ctx context.Context) error { return u.reading.Enter(ctx, org, 1) }
	if media == formMedia {
		a, err = decodeForm(r, order)
	} else {
		a, err = decodeDocument(r, size, order, read)
	}
	if err == nil && a.DryRun && a.File != nil {
		err = read(r.Context())
	}
	return a, err
}

// decodeDocument reads a document that is sent as JSON. It calls large before it parses many values.
func decodeDocument(
	r *http.Request, size int64, order shipments.Order, large func(context.Context) error,
) (a shipments.Attachment, err error) {
	text, err := receive(r, size)
	if err == nil && bytes.Count(text, []byte(",")) > fewValues { // base64 has no commas
		err = large(r.Context())
	}
	if err != nil {
		return a, err
	}
	body, err := jsonbody.Parse(text, jsonbody.Limits{Elements: shipments.MaxPallets, Long: "/document/content_base64"})
	if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok && beyond.Pointer == "/document/pallets" {
		beyond.Code = string(shipments.TooManyPallets)
		beyond.Detail = fmt.Sprintf("a shipment has at most %d pallets", shipments.MaxPallets)
	}
	if err != nil {
		return a, err
	}
	root := body.Object()
	document := root.Object("document")
	a = shipments.Attachment{
		Order:  order,
		DryRun: root.Bool("dry_run"),
		Type:   shipments.DocumentType(document.Text("type")),
	}
	filename := document.Text("filename")
	content, ok := document.Base64("content_base64")
	if !ok || document.Has("pallets") || document.Has("declared") {
		readList(document, &a)
	}
	if !ok {
		if filename != "" {
			document.Wrong(
				jsonbody.InvalidValue, "filename", "filename is the name of a file, and content_base64 is missing",
			)
		}
		return a, invalid(body.Faults(), "/document", a.Faults())
	}
	for _, name := range []string{"pallets", "declared"} {
		if document.Has(name) {
			document.Wrong(jsonbody.InvalidValue, name, name+" is of a document without a file: a file has its own")
		}
	}
	if len(content) > shipments.MaxFile {
		return a, errFileTooLarge
	}
	if a.File, err = newUpload(bytes.NewReader(content), int64(len(content)), filename); err != nil {
		return a, err
	}
	a.File.Field = "/content_base64"
	return a, invalid(body.Faults(), "/document", a.Faults())
}

// readList reads a document that is given by its pallets.
func readList(document *jsonbody.Object, a *shipments.Attachment) {
	declared := document.OptionalObject("declared")
	a.Declared = shipments.Declared{
		Pallets:         declared.Int("pallets"),
		Boxes:           declared.Int("boxes"),
		NetWeight:       shipments.Grams(declared.Thousandths("net_weight_kg")),
		ContainerNumber: declared.Text("container_number"),
	}
	if !document.Has("pallets") {
		return
	}
	a.Pallets = each(document.Objects("pallets"), func(o *jsonbody.Object) shipments.Pallet {
		return shipments.Pallet{
			Number:      o.Text("pallet_number"),
			ProduceName: o.Text("produce_name"),
			Calibre:     o.Text("calibre"),
			Boxes:       o.Int("boxes"),
			BoxWeight:   shipments.Grams(o.Thousandths("box_weight_kg")),
		}
	})
}

// encodeAttach shows a document with the checks, which say what other documents have,
// only for tokens that may read shipments.
func encodeAttach(r *http.Request, a shipments.Attached) reply {
	document, checks := viewDocument(a.Document), each(a.Checks, viewCheck)
	if a.DryRun {
		view := previewView{document.previewDocumentView, checks, a.Document.Mappings}
		public := view
		public.Checks = []checkView{}
		return reply{Status: http.StatusOK, Body: view, Public: public}
	}
	return reply{
		Status: http.StatusCreated,
		Header: http.Header{"Location": {canonicalPath(r) + "/" + document.ID}},
		Body:   attachedView{document, checks},
		Public: attachedView{document, []checkView{}},
	}
}
