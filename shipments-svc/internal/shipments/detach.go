package shipments

import (
	"context"
	"slices"
	"time"
)

// Detach removes a document, its file, its pallets and what they made of the
// checks.
func (s *Service) Detach(ctx context.Context, org OrgID, o DocumentOrder) (struct{}, error) {
	doc, err := repeat(func() (Document, error) { return s.tryDetach(ctx, org, o) })
	if err != nil || doc.Filename == "" {
		return struct{}{}, err
	}
	// The document is gone. If its file cannot be removed now, a sweep does it.
	_ = s.discard(ctx, FileKey{org, doc.ID})
	return struct{}{}, nil
}

func (s *Service) tryDetach(ctx context.Context, org OrgID, o DocumentOrder) (Document, error) {
	d, doc, err := s.getDocument(ctx, org, DeleteDocument, o)
	if err != nil {
		return Document{}, err
	}
	r := s.removal(d, o.Order, doc.ID)
	return doc, s.checkAndRevise(ctx, org, &r)
}

// Reprocess has a document read again. Its pallets stay until that is done.
// One that is not read from a file gives ErrNotReadAgain.
func (s *Service) Reprocess(ctx context.Context, org OrgID, o DocumentOrder) (Document, error) {
	return repeat(func() (Document, error) { return s.tryReprocess(ctx, org, o) })
}

func (s *Service) tryReprocess(ctx context.Context, org OrgID, o DocumentOrder) (Document, error) {
	d, doc, err := s.getDocument(ctx, org, ReprocessDocument, o)
	if err != nil {
		return Document{}, err
	}
	if doc.Kind == Unread {
		return Document{}, ErrNotReadAgain
	}
	return s.queue(ctx, org, d, ReprocessDocument, o.Order, doc)
}

// queue has a document of a shipment read anew, because of an action.
func (s *Service) queue(ctx context.Context, org OrgID, d Detail, a Action, o Order, doc Document) (Document, error) {
	doc = doc.queued()
	mine := slices.DeleteFunc(slices.Clone(d.Pallets), func(p Pallet) bool { return p.Source.Document != doc.ID })
	r := s.revision(d, a, o, doc, mine)
	r.Changed, r.Checks = &doc, d.Checks
	return doc, s.revise(ctx, org, r)
}

// queued returns a document that is to be read anew.
func (d Document) queued() Document {
	d.Run++
	d.Status, d.Failure, d.ProcessedAt = Queued, Failure{}, time.Time{}
	return d
}

// getDocument returns a shipment and its document, with which an action is
// allowed.
func (s *Service) getDocument(ctx context.Context, org OrgID, a Action, o DocumentOrder) (Detail, Document, error) {
	d, err := s.repo.Get(ctx, org, o.ID)
	if err != nil {
		return Detail{}, Document{}, err
	}
	i := slices.IndexFunc(d.Documents, func(doc Document) bool { return doc.ID == o.Document })
	if i < 0 {
		return Detail{}, Document{}, ErrNoDocument
	}
	return d, d.Documents[i], permitted(a, o.Order, d.Shipment)
}
