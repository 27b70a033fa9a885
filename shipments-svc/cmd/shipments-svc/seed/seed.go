// Package seed reads the JSON document of the seed command: shipments with their
// history, to import data or to show a demo.
//
// The document is {"shipments": […]}. A shipment has the fields reference, vessel,
// origin and destination, and optionally id, status, created_at, approved_at, pallets
// and checks, as in the API. It is validated as strictly as a request, and all faults
// are reported at once.
package seed

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/input"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Limits of a document and of its arrays.
const (
	maxBytes     = 256 << 20
	maxShipments = 1_000_000
)

// list is the name of the document's only member.
const list = "shipments"

// Read returns the shipments of a document. Its errors are those of in, a
// *jsonbody.SyntaxError, or *shipments.Invalid with pointers into the document. It
// does not validate values, which the domain does.
func Read(in io.Reader) ([]shipments.Detail, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read shipments: %w", err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("more than %d bytes; seed it in parts", maxBytes)
	}
	body, err := input.Limited(jsonbody.Parse(text, jsonbody.Limits{Elements: maxShipments}))
	if err != nil {
		return nil, err
	}
	var all []shipments.Detail
	for _, o := range body.Object().Objects(list) {
		all = append(all, detail(o))
	}
	if faults := input.Faults(body); faults != nil {
		return nil, &shipments.Invalid{Faults: faults}
	}
	return all, nil
}

// Explain formats an error of Read or of the import for people: each fault on a line,
// with a pointer into the document.
func Explain(err error, root string) error {
	invalid, ok := errors.AsType[*shipments.Invalid](err)
	if !ok {
		return err
	}
	var b strings.Builder
	b.WriteString("nothing was stored:")
	for _, f := range invalid.Faults {
		fmt.Fprintf(&b, "\n  %s%s: %s", root, f.Pointer, f.Detail)
	}
	return errors.New(b.String())
}

func detail(o *jsonbody.Object) shipments.Detail {
	d := shipments.Detail{Shipment: shipments.Shipment{
		ID:         id(o),
		Draft:      shipments.NewDraft(o.Text),
		Status:     shipments.Status(o.Text("status")),
		CreatedAt:  o.Time("created_at"),
		ApprovedAt: o.Time("approved_at"),
	}, Pallets: input.Pallets(o.Objects("pallets"))}
	for _, c := range o.Objects("checks") {
		d.Checks = append(d.Checks, shipments.Check{
			Name:    c.Text("name"),
			Result:  shipments.Result(c.Text("result")),
			Details: c.Text("details"),
		})
	}
	return d
}

func id(o *jsonbody.Object) shipments.ID {
	text := o.Text("id")
	if text == "" {
		return shipments.ID{}
	}
	id, ok := publicid.Parse("ship", text)
	if !ok {
		o.Wrong(jsonbody.InvalidValue, "id", "id must be ship_ and 26 lower-case characters of Crockford's base32")
	}
	return shipments.ID(id)
}
