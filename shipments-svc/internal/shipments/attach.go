package shipments

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"
)

// Attach adds a document to a shipment. By its pallets it is part of the
// shipment at once, with the checks made anew. A file that is to be read is
// queued, and the shipment is being processed until it has been. Content that
// the shipment has gives DuplicateError.
func (s *Service) Attach(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	commit, release, err := s.PrepareAttach(ctx, org, a)
	if err != nil {
		return Attached{}, err
	}
	defer release()
	return commit(ctx)
}

// PrepareAttach is the first phase of Attach, outside of transactions: it validates the
// attachment and reads or stores its file. If it is never committed, a sweep removes that.
// release ends the use of memory for it.
func (s *Service) PrepareAttach(
	ctx context.Context, org OrgID, a Attachment,
) (commit Commit[Attached], release func(), err error) {
	release = func() {}
	if f := a.Faults(); f != nil {
		return nil, release, &Invalid{Faults: f}
	}
	doc := a.document()
	attach := func(r *Revision) error { return r.attach(doc, a.Pallets) }
	p := allParts(DocumentID{})
	if doc.Unfinished() { // it has pallets once it was read
		p = Parts{}
	}
	r, release, err := s.revision(ctx, org, AttachDocument, a.Order, p, attach)
	if err != nil {
		return nil, release, err
	}
	if a.DryRun {
		preview, err := s.preview(ctx, org, a, r)
		return func(context.Context) (Attached, error) { return preview, nil }, release, err
	}
	p.admitted = true // a transaction does not wait for memory
	doc.ID, doc.CreatedAt = DocumentID(s.newID()), instant(s.now())
	if !doc.Unfinished() {
		doc.ProcessedAt = doc.CreatedAt
	}
	if a.File != nil {
		content := io.NewSectionReader(a.File.Content, 0, a.File.Size)
		if err := s.files.Put(ctx, FileKey{org, doc.ID}, content, a.File.Size); err != nil {
			release()
			return nil, release, fmt.Errorf("store file: %w", err)
		}
	}
	return func(ctx context.Context) (Attached, error) {
		r, err := s.change(ctx, org, AttachDocument, a.Order, p, attach)
		return Attached{Shipment: a.ID, Document: doc, Checks: r.Checks}, err
	}, release, nil
}

// preview returns the result of a dry run of the revision. A file is read at once, with the
// limits of a worker.
func (s *Service) preview(ctx context.Context, org OrgID, a Attachment, r Revision) (Attached, error) {
	if doc := *r.Document; doc.Unfinished() {
		return s.try(ctx, org, AttachDocument, a.Order, doc, a.File.Content, (*Revision).attach)
	}
	err := s.check(ctx, org, &r)
	return Attached{Shipment: a.ID, Document: *r.Document, Checks: r.Checks, DryRun: true, Pallets: r.Pallets}, err
}

// try returns what an action would make of a shipment that has a file read, whose document edit makes part of it.
func (s *Service) try(
	ctx context.Context, org OrgID, action Action, o Order, doc Document, content io.ReaderAt,
	edit func(*Revision, Document, []Pallet) error,
) (Attached, error) {
	read, err := s.readContent(ctx, org, doc, content)
	doc, pallets, err := doc.finished(read, err, time.Time{})
	if err != nil {
		return Attached{}, fmt.Errorf("read file: %w: %w", ErrUnavailable, err)
	}
	r, release, err := s.revision(ctx, org, action, o, allParts(doc.ID), func(r *Revision) error {
		return edit(r, doc, pallets)
	})
	if err != nil {
		return Attached{}, err
	}
	defer release()
	err = s.check(ctx, org, &r)
	return Attached{Shipment: o.ID, Document: *r.Document, Checks: r.Checks, DryRun: true, Pallets: r.Pallets}, err
}

// attach adds a new document with its pallets.
func (r *Revision) attach(doc Document, pallets []Pallet) error {
	for _, other := range r.documents {
		if other.SHA256 == doc.SHA256 {
			return &DuplicateError{ID: other.ID}
		}
	}
	var f faults
	if fault := r.beyond(pallets, 0); fault != "" {
		f.add(TooManyPallets, "/pallets", "%s", fault)
	}
	if len(r.documents) >= MaxDocuments {
		f.add(TooManyDocuments, "", "a shipment has at most %d documents", MaxDocuments)
	}
	if f != nil {
		return &Invalid{Faults: f}
	}
	r.put(doc, pallets)
	return nil
}

// discardTimeout is how long removing a file may take after a request.
const discardTimeout = time.Second

// Detach removes a document, its file, its pallets and what they made of the
// checks.
func (s *Service) Detach(ctx context.Context, org OrgID, o DocumentOrder) (struct{}, error) {
	var doc Document
	_, err := s.change(ctx, org, DeleteDocument, o.Order, allParts(o.Document), func(r *Revision) error {
		var i int
		var err error
		if doc, i, err = r.document(o); err != nil {
			return err
		}
		r.documents, r.To.PalletsCount = slices.Delete(r.documents, i, i+1), r.To.PalletsCount-doc.PalletsExtracted
		r.Detached, r.Entry.Document = doc.ID, doc.ID
		if doc.Filename != "" { // which nothing else has from now on
			r.Entry.Changes = []Change{{Field: "filename", From: doc.Filename}}
		}
		return nil
	})
	if err == nil {
		s.discard(ctx, org, doc)
	}
	return struct{}{}, err
}

// discard removes the files of documents that are gone. If one cannot be removed now, a sweep does it.
func (s *Service) discard(ctx context.Context, org OrgID, gone ...Document) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout) // also after a disconnect
	defer cancel()
	for _, doc := range gone {
		if doc.Filename != "" {
			_ = s.files.Delete(ctx, FileKey{org, doc.ID})
		}
	}
}

// Reprocess has a document read again. Its pallets stay until that is done.
// One that is not read from a file gives ErrNotReadAgain.
func (s *Service) Reprocess(ctx context.Context, org OrgID, o DocumentOrder) (Document, error) {
	return s.queue(ctx, org, ReprocessDocument, o, func(*Document) error { return nil })
}

// queue has a document of a shipment read anew, as edit changes it, because of an action.
func (s *Service) queue(
	ctx context.Context, org OrgID, a Action, o DocumentOrder, edit func(*Document) error,
) (doc Document, err error) {
	_, err = s.change(ctx, org, a, o.Order, Parts{Document: o.Document}, func(r *Revision) error {
		var err error
		if doc, _, err = r.document(o); err != nil {
			return err
		}
		if doc.Kind == Unread {
			return ErrNotReadAgain
		}
		if err := edit(&doc); err != nil {
			return err
		}
		doc.requeue()
		r.put(doc, nil)
		return nil
	})
	return doc, err
}

// requeue has the document read again.
func (d *Document) requeue() {
	d.Run++
	d.Status, d.Failure, d.ProcessedAt = Queued, Failure{}, time.Time{}
}
