package transport

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/admission"
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

// decodeAttach returns what reads a document: as a form, or as JSON that has the
// file in base64 or the pallets themselves. It is admitted before it is received.
func decodeAttach(uploads *Uploads) func(*http.Request) (shipments.Attachment, error) {
	receiving, reading := uploads.receiving, uploads.reading
	return func(r *http.Request) (shipments.Attachment, error) {
		order, err := decodeOrder(r)
		if err != nil {
			return shipments.Attachment{}, err
		}
		if err := receiving.Enter(r.Context(), callerOf(r.Context()).org, bodySize(r)); err != nil {
			return shipments.Attachment{}, err
		}
		a, err := readAttachment(r, order, reading)
		if err == nil && a.DryRun && a.File != nil {
			err = reading.Enter(r.Context(), callerOf(r.Context()).org, 1)
		}
		return a, err
	}
}

// bodySize is how many bytes the body of a document may have.
func bodySize(r *http.Request) int64 {
	if r.ContentLength < 0 {
		return maxDocument
	}
	return min(r.ContentLength, maxDocument)
}

func readAttachment(
	r *http.Request, order shipments.Order, reading *admission.Admission,
) (shipments.Attachment, error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == formMedia {
		return decodeForm(r, order)
	}
	if err := mediaType(r.Header, []string{jsonMedia}, jsonMedia+" or "+formMedia); err != nil {
		return shipments.Attachment{}, err
	}
	body, err := attachBody(r, reading)
	if err != nil {
		return shipments.Attachment{}, err
	}
	root := body.Object()
	document := root.Object("document")
	a := shipments.Attachment{
		Order:  order,
		DryRun: root.Bool("dry_run"),
		Type:   shipments.DocumentType(document.Text("type")),
	}
	readList(document, &a)
	filename := document.Text("filename")
	content, ok := document.Base64("content_base64")
	if !ok {
		if filename != "" {
			document.Wrong(jsonbody.InvalidValue, "filename", "filename is the name of a file, and content_base64 is missing")
		}
		return a, invalid(each(body.Faults(), domainFault), "/document", a.Faults())
	}
	for _, name := range []string{"pallets", "declared"} {
		if document.Has(name) {
			document.Wrong(jsonbody.InvalidValue, name, name+" is of a document without a file: a file has its own")
		}
	}
	if len(content) > shipments.MaxFile {
		return shipments.Attachment{}, fileTooLargeError{}
	}
	a.File, err = newUpload(bytes.NewReader(content), int64(len(content)), filename, "/content_base64")
	if err != nil {
		return shipments.Attachment{}, err
	}
	return a, invalid(each(body.Faults(), domainFault), "/document", a.Faults())
}

// attachBody reads a body. It is received whole before any of it is interpreted.
func attachBody(r *http.Request, reading *admission.Admission) (*jsonbody.Body, error) {
	var text bytes.Buffer
	text.Grow(int(bodySize(r)) + bytes.MinRead) // or it would be copied as it grows
	_, err := text.ReadFrom(r.Body)
	if err := readingError(err); err != nil {
		return nil, err
	}
	if bytes.Count(text.Bytes(), []byte(",")) > fewValues { // base64 has no commas
		if err := reading.Enter(r.Context(), callerOf(r.Context()).org, 1); err != nil {
			return nil, err
		}
	}
	limits := jsonbody.Limits{Elements: shipments.MaxPallets, Long: "/document/content_base64"}
	body, err := parse(text.Bytes(), limits)
	if invalid, ok := errors.AsType[*shipments.Invalid](err); ok && invalid.Faults[0].Pointer == "/document/pallets" {
		invalid.Faults[0].Code, invalid.Faults[0].Detail = shipments.TooManyPallets, fmt.Sprintf(
			"a shipment has at most %d pallets", shipments.MaxPallets,
		)
	}
	return body, err
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
	checks := each(a.Checks, viewCheck)
	if a.DryRun {
		view := previewView{viewPreview(a.Document), checks, a.Document.Mappings}
		public := view
		public.Checks = []checkView{}
		return reply{Status: http.StatusOK, Body: view, Public: public}
	}
	view := attachedView{viewDocument(a.Document), checks}
	return reply{
		Status: http.StatusCreated,
		Header: http.Header{"Location": {canonicalPath(r) + "/" + view.Document.ID}},
		Body:   view,
		Public: attachedView{view.Document, []checkView{}},
	}
}
