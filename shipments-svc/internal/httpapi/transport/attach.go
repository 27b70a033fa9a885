package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type attachedView struct {
	Document documentView `json:"document"`
	Checks   []checkView  `json:"checks"`
}

// previewView is the result of a dry run.
type previewView struct {
	Document previewDocumentView `json:"document"`
	Checks   []checkView         `json:"checks"`
	Mappings []list.Mapping      `json:"mappings,omitempty"`
}

// Received is a document as it came in. Release ends the use of memory for it.
type Received struct {
	shipments.Attachment
	More    []shipments.Attachment // further files of a form of a page
	Release func()
}

// attach attaches what was received, which is in memory until its file is stored. Of concurrent requests with a key
// each is prepared, and one is committed. One that cannot be prepared, perhaps because of its earlier effect, is
// replayed.
func attach(service *shipments.Service) method[Received, shipments.Attached] {
	return func(ctx context.Context, org shipments.OrgID, a Received) (shipments.Attached, error) {
		commit, release, failed := service.PrepareAttach(ctx, org, a.Attachment)
		defer release()
		a.Release()
		if failed != nil {
			commit = func(context.Context) (shipments.Attached, error) { return shipments.Attached{}, failed }
		}
		return commitOnce(ctx, service, commit)
	}
}

// decode reads a request of the API that attaches a document.
func (u *Uploads) decode(r *http.Request) (a Received, err error) {
	order, err := decodeOrder(r)
	if err != nil {
		return a, err
	}
	c, body := callerOf(r.Context()), r.Body
	if a, err = u.Receive(c.writer, r, c.org, order, false); err != nil {
		return a, err
	}
	isForm := a.File != nil && a.File.Field == ""
	if !isForm {
		c.at = "/document"
	}
	// A retry of a form has another boundary.
	if keyed, ok := body.(*idempotency.Body); ok && isForm {
		keyed.SetFingerprint(
			sha256.Sum256(fmt.Appendf(nil, "form %q %q %t %x", a.Type, a.File.Filename, a.DryRun, a.File.SHA256)),
		)
	}
	return a, nil
}

// decodeDocument reads a document that is sent as JSON. It calls large before it parses many values.
func decodeDocument(
	r *http.Request, order shipments.Order, large func() error,
) (a shipments.Attachment, err error) {
	text, err := jsonbody.Read(r)
	switch values := bytes.Count(text, []byte(",")); { // base64 has no commas
	case err != nil:
	case values > manyValues:
		err = errManyValues
	case values > fewValues:
		err = large()
	}
	if err != nil {
		return a, err
	}
	body, err := jsonbody.Parse(text, jsonbody.Limits{Elements: list.MaxPallets, Long: "/document/content_base64"})
	if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok && beyond.Pointer == "/document/pallets" {
		beyond.Code = string(shipments.TooManyPallets)
		beyond.Detail = fmt.Sprintf("a shipment has at most %d pallets", list.MaxPallets)
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
	if a.File, err = NewUpload(bytes.NewReader(content), int64(len(content)), filename); err != nil {
		return a, err
	}
	a.File.Field = "/content_base64"
	return a, invalid(body.Faults(), "/document", a.Faults())
}

// readList reads a document that is given by its pallets.
func readList(document *jsonbody.Object, a *shipments.Attachment) {
	declared := document.OptionalObject("declared")
	a.Declared = list.Declared{
		Pallets:         declared.Int("pallets"),
		Boxes:           declared.Int("boxes"),
		NetWeight:       list.Grams(declared.Thousandths("net_weight_kg")),
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
			BoxWeight:   list.Grams(o.Thousandths("box_weight_kg")),
		}
	})
}

// encodeAttach shows a document with the checks, which say what other documents have,
// only for tokens that may read shipments.
func encodeAttach(r *http.Request, a shipments.Attached) reply {
	document, checks := viewDocument(a.Document), []checkView{}
	if may(r, ReadShipments) {
		checks = each(a.Checks, viewCheck)
	}
	if a.DryRun {
		return reply{status: http.StatusOK, body: previewView{document.previewDocumentView, checks, a.Document.Mappings}}
	}
	return reply{
		status: http.StatusCreated,
		header: http.Header{"Location": {canonicalPath(r) + "/" + document.ID}, "Etag": {tagOfDocument(a.Document)}},
		body:   attachedView{document, checks},
	}
}
