package shipments

import (
	"context"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// DocumentEdit is a request to correct the type of a document.
type DocumentEdit struct {
	DocumentOrder
	Type DocumentType
}

// Faults returns what is wrong with the edit, with pointers from it.
func (e DocumentEdit) Faults() []Fault {
	var f faults
	if e.Type == "" {
		f.add(Required, "/type", "type is required")
	} else if !slices.Contains(DocumentTypes, e.Type) {
		f.add(InvalidValue, "/type", "type must be one of %s", Join(DocumentTypes))
	}
	return f
}

// UpdateDocument corrects the type of a document that has a file, which is read again as what it is; its pallets stay
// until that is done. One that is not read as this type, or at all, has none from now on.
func (s *Service) UpdateDocument(ctx context.Context, org OrgID, e DocumentEdit) (doc Document, err error) {
	if f := e.Faults(); f != nil {
		return Document{}, &Invalid{Faults: f}
	}
	_, err = s.change(ctx, org, UpdateDocument, e.Order, allParts(e.Document), func(r *Revision) error {
		var err error
		if doc, _, err = r.document(e.DocumentOrder); err != nil {
			return err
		}
		from := doc.Type
		switch {
		case from == e.Type:
			return errUnchanged
		case doc.Filename == "":
			return ErrNotReadAgain
		case doc.Unfinished():
			return notWhile("the document is being read", UpdateDocument, r.From.Status)
		}
		if doc, err = doc.retyped(e.Type); err != nil {
			return err
		}
		if !doc.Unfinished() {
			doc.ProcessedAt = r.Entry.At
		}
		r.Entry.Changes = []Change{{Field: "type", From: string(from), To: string(e.Type)}}
		r.put(doc, nil)
		return nil
	})
	return doc, err
}

// retyped returns the document as one of another type, queued if that is read, without what was read in it but its
// pallets.
func (d Document) retyped(t DocumentType) (Document, error) {
	d.Type, d.Kind = t, Kinds[d.ContentType]
	d.Facts, d.Remarks, d.Given = nil, nil, nil
	switch {
	case d.Kind == Unread && t == PackingList:
		var f faults
		f.add(UnsupportedDocument, "/type", "a packing list is a CSV or XLSX file or a PDF with text; this file is only kept")
		return Document{}, &Invalid{Faults: f}
	case d.Kind == Unread || t == OtherDocument:
		d.Kind, d.Status, d.Failure, d.Mappings = Unread, Processed, Failure{}, nil
		d.RowsRead, d.PalletsExtracted, d.Declared = 0, 0, list.Declared{}
	default:
		d.requeue()
	}
	return d, nil
}
