package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// preview is what a document would be, before it is attached.
type preview struct {
	shipments.Document
	Checks checkRows
	Rows   []palletRow
}

// attach attaches the files of the form, or shows what one would be.
func (s *site) attach(ctx context.Context, v *visit) (answer, error) {
	received, err := s.Uploads.Receive(v.writer, v.Request, v.org, v.order(), true)
	if err == nil {
		defer received.Release()
	}
	var done shipments.Attached
	var wrong pages.Faults
	for i, a := range append([]shipments.Attachment{received.Attachment}, received.More...) {
		if err == nil {
			done, err = s.attachOne(ctx, v, a)
		}
		faults := attachFaults(err)
		ends := err != nil && faults == nil
		switch {
		case ends && i == 0:
			return answer{}, err
		case ends: // files before it were attached
			faults.Add("file", "It could not be attached, and those after it were not. Attach them again.")
		}
		for _, f := range faults {
			if len(received.More) > 0 {
				f.Text = a.File.Filename + ": " + f.Text
			}
			wrong = append(wrong, f)
		}
		if err = nil; ends {
			break
		}
	}
	switch {
	case wrong == nil && len(received.More) > 0:
		return redirect(v.here(), "attached-all"), nil
	case wrong == nil && !done.DryRun:
		return redirect(v.here(), "attached"), nil
	}
	p, err := s.shown(ctx, v, "documents")
	if err != nil {
		return answer{}, err
	}
	if p.Faults = wrong; wrong == nil {
		p.Preview = &preview{Document: done.Document}
		p.Preview.Checks, p.Preview.Rows = placesOf{pallets: "#preview-"}.findings(done.Checks, done.Pallets)
	}
	return p.page(), nil
}

func (s *site) attachOne(ctx context.Context, v *visit, a shipments.Attachment) (shipments.Attached, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout+a.Waits())
	defer cancel()
	return s.Service.Attach(ctx, v.org, a)
}

// attachFaults returns what is wrong with a file that was not attached; nil: there is another cause.
func attachFaults(err error) pages.Faults {
	wrong := faultsOf(err)
	switch {
	case errors.As(err, new(*shipments.DuplicateError)):
		wrong.Add("file", "The shipment already has a document with exactly this content.")
	case err != nil && transport.Problem(err).Status == http.StatusRequestEntityTooLarge:
		wrong.Add("file", "The file may have at most 10 MiB.")
	}
	return wrong
}

func (s *site) download(ctx context.Context, v *visit) (answer, error) {
	file, err := s.Service.File(ctx, v.org, v.onDocument())
	return answer{send: func(w http.ResponseWriter) error { return transport.SendFile(w, v.Request, file) }}, err
}

// document returns the document in the path.
func (s *site) document(ctx context.Context, v *visit) (shipments.Document, error) {
	return s.Service.Document(ctx, v.org, v.onDocument())
}

// changing returns what does something with the document in the path, for a form.
func changing[Res any](
	done string, do func(*shipments.Service, context.Context, shipments.OrgID, shipments.DocumentOrder) (Res, error),
) func(*site, context.Context, *visit) (answer, error) {
	return func(s *site, ctx context.Context, v *visit) (answer, error) {
		_, err := do(s.Service, ctx, v.org, v.seen())
		return redirect(v.here(), done), err
	}
}

// retype corrects the type of the document in the path.
func (s *site) retype(ctx context.Context, v *visit) (answer, error) {
	_, err := s.Service.UpdateDocument(ctx, v.org, shipments.DocumentEdit{
		DocumentOrder: v.seen(), Type: shipments.DocumentType(v.text("type")),
	})
	wrong := faultsOf(err)
	if wrong == nil {
		return redirect(v.here(), "retyped"), err
	}
	p, err := s.documentPage(ctx, v)
	if p.Faults = wrong; err == nil {
		err = s.look(ctx, v, &p)
	}
	return p.page(), err
}

// confirmPage asks before something is deleted.
type confirmPage struct {
	Heading, Text, Button string
	Do, Back              string // where the form is sent, and where Cancel leads
	Version               int64  // of the shipment that the person has seen; 0: it is not about one
	Key                   string // of what is done once; "": it may be done again
}

// askDelete asks before a shipment is deleted.
func (s *site) askDelete(ctx context.Context, v *visit) (answer, error) {
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	return page("confirm", "Delete "+head.Reference, confirmPage{
		Heading: "Delete " + head.Reference + "?", Button: "Delete shipment",
		Text: "The shipment is deleted with its history. This cannot be undone.",
		Do:   v.here() + "/delete", Back: v.here(), Version: head.Version,
	}), err
}

// remove deletes the shipment in the path.
func (s *site) remove(ctx context.Context, v *visit) (answer, error) {
	_, err := s.Service.Delete(ctx, v.org, v.seen().Order)
	return redirect(v.path(), "removed"), err
}

// askDetach asks before a document is deleted.
func (s *site) askDetach(ctx context.Context, v *visit) (answer, error) {
	head, err := s.Service.Head(ctx, v.org, v.shipment)
	if err != nil {
		return answer{}, err
	}
	d, err := s.document(ctx, v)
	if err != nil {
		return answer{}, err
	}
	name := cmp.Or(d.Filename, "the document")
	return page("confirm", "Delete "+name, confirmPage{
		Heading: "Delete " + name + "?", Button: "Delete document",
		Text: "The document is deleted with its file and the pallets that were read in it. The checks are made again.",
		Do:   v.here() + "/documents/" + v.PathValue("document") + "/delete", Back: v.here(), Version: head.Version,
	}), nil
}
