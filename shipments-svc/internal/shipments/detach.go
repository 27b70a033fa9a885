package shipments

import (
	"context"
	"time"
)

// discardTimeout is how long removing a file may take after a request.
const discardTimeout = time.Second

// Detach removes a document, its file, its pallets and what they made of the
// checks.
func (s *Service) Detach(ctx context.Context, org OrgID, o DocumentOrder) (struct{}, error) {
	var doc Document
	_, err := s.change(ctx, org, DeleteDocument, o.Order, func(r *Revision) (err error) {
		if doc, err = r.document(o.Document); err != nil {
			return err
		}
		r.documents, r.pallets = without(r.documents, doc.ID), withoutPallets(r.pallets, doc.ID)
		r.Detached, r.Entry.Document = doc.ID, doc.ID
		return nil
	})
	if err != nil || doc.Filename == "" {
		return struct{}{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout) // also for a client who left
	defer cancel()
	// The document is gone. If its file cannot be removed now, a sweep does it.
	_ = s.files.Delete(ctx, FileKey{org, doc.ID})
	return struct{}{}, nil
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
	_, err = s.change(ctx, org, a, o.Order, func(r *Revision) (err error) {
		if doc, err = r.document(o.Document); err != nil {
			return err
		}
		if doc.Kind == Unread {
			return ErrNotReadAgain
		}
		if err := edit(&doc); err != nil {
			return err
		}
		doc.Run++
		doc.Status, doc.Failure, doc.ProcessedAt = Queued, Failure{}, time.Time{}
		r.put(doc, nil)
		return nil
	})
	return doc, err
}
