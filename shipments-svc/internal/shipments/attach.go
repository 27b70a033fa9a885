package shipments

import (
	"context"
	"errors"
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
	p, err := s.PrepareAttach(ctx, org, a)
	if err != nil {
		return Attached{}, err
	}
	done, err := p.Commit(ctx)
	if err != nil {
		err = errors.Join(err, p.Discard(ctx, err))
	}
	return done, err
}

// PrepareAttach is the first phase of Attach, outside of transactions: it validates the
// attachment and reads or stores its file.
func (s *Service) PrepareAttach(ctx context.Context, org OrgID, a Attachment) (Prepared[Attached], error) {
	if f := a.Faults(); f != nil {
		return Prepared[Attached]{}, &Invalid{Faults: f}
	}
	if a.DryRun {
		preview, err := s.preview(ctx, org, a)
		return Prepared[Attached]{Commit: func(context.Context) (Attached, error) { return preview, nil }}, err
	}
	doc := a.document()
	if _, err := s.getAttachable(ctx, org, a, doc, len(a.Pallets)); err != nil {
		return Prepared[Attached]{}, err
	}
	doc.ID, doc.CreatedAt = DocumentID(s.newID()), instant(s.now())
	if !doc.Unfinished() {
		doc.ProcessedAt = doc.CreatedAt
	}
	p := Prepared[Attached]{Commit: func(ctx context.Context) (Attached, error) {
		return repeat(func() (Attached, error) { return s.tryAttach(ctx, org, a, doc) })
	}}
	if a.File == nil {
		return p, nil
	}
	file := FileKey{org, doc.ID}
	p.discard = func(ctx context.Context) error { return s.discard(ctx, file) }
	if err := s.files.Put(ctx, file, io.NewSectionReader(a.File.Content, 0, a.File.Size), a.File.Size); err != nil {
		return Prepared[Attached]{}, fmt.Errorf("store file: %w", err)
	}
	return p, nil
}

func (s *Service) tryAttach(ctx context.Context, org OrgID, a Attachment, doc Document) (Attached, error) {
	d, err := s.getAttachable(ctx, org, a, doc, len(a.Pallets))
	if err != nil {
		return Attached{}, err
	}
	pallets := sourced(a.Pallets, doc.ID)
	r := s.revision(d, AttachDocument, a.Order, doc, pallets)
	r.Attached, r.Pallets = &doc, pallets
	if doc.Unfinished() {
		r.Checks = d.Checks
		err = s.revise(ctx, org, r)
	} else {
		err = s.checkAndRevise(ctx, org, &r)
	}
	return Attached{Shipment: d.ID, Document: doc, Checks: r.Checks}, err
}

// simulate returns the result that attaching a document would have.
func (s *Service) simulate(ctx context.Context, org OrgID, a Attachment, doc Document,
	pallets []Pallet,
) (Attached, error) {
	d, err := s.getAttachable(ctx, org, a, doc, len(pallets))
	if err != nil {
		return Attached{}, err
	}
	pallets = sourced(pallets, doc.ID)
	r := s.revision(d, AttachDocument, a.Order, doc, pallets)
	checks, err := s.checksOf(ctx, org, r)
	return Attached{Shipment: d.ID, Document: doc, Checks: checks, DryRun: true, Pallets: pallets}, err
}

// preview is the dry run of an attachment. A file is read at once, with the limits of
// a worker.
func (s *Service) preview(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	if !a.needsReading() {
		return s.simulate(ctx, org, a, a.document(), a.Pallets)
	}
	if _, err := s.getAttachable(ctx, org, a, a.document(), 0); err != nil {
		return Attached{}, err
	}
	read, err := s.readContent(ctx, org, a.document(), a.File.Content)
	doc, pallets, err := a.document().finished(read, err, time.Time{})
	if err != nil {
		return Attached{}, fmt.Errorf("read file: %w", err)
	}
	return s.simulate(ctx, org, a, doc, pallets)
}

// getAttachable returns the shipment if the document, with so many pallets, can be
// attached to it.
func (s *Service) getAttachable(ctx context.Context, org OrgID, a Attachment, doc Document,
	pallets int,
) (Detail, error) {
	d, err := s.getFor(ctx, org, AttachDocument, a.Order)
	if err != nil {
		return Detail{}, err
	}
	for _, other := range d.Documents {
		if other.SHA256 == doc.SHA256 {
			return Detail{}, &DuplicateError{ID: other.ID}
		}
	}
	var f faults
	if total := len(d.Pallets) + pallets; total > MaxPallets {
		f.add(TooManyPallets, "/pallets", "a shipment has at most %d pallets; with these it would have %d", MaxPallets, total)
	}
	if len(d.Documents) >= MaxDocuments {
		f.add(TooManyDocuments, "", "a shipment has at most %d documents", MaxDocuments)
	}
	if f != nil {
		return Detail{}, &Invalid{Faults: f}
	}
	return d, nil
}

// sourced returns pallets as a document's, each from its row or, without one,
// from that of its place in the list.
func sourced(pallets []Pallet, doc DocumentID) []Pallet {
	all := slices.Clone(pallets)
	for i := range all {
		if all[i].Source.Document = doc; all[i].Source.Row == 0 {
			all[i].Source.Row = i + 1
		}
	}
	return all
}
