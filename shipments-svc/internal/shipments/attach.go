package shipments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Attach adds a document to a shipment. By its pallets it is part of the
// shipment at once, with the checks made anew. A file that is to be read is
// queued, and the shipment is being processed until it has been. Content that
// the shipment has gives DuplicateError.
func (s *Service) Attach(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	if f := a.Faults(); f != nil {
		return Attached{}, &Invalid{Faults: f}
	}
	switch {
	case a.DryRun && a.needsReading():
		return s.tryOut(ctx, org, a)
	case a.DryRun:
		return s.foresee(ctx, org, a, a.document(), a.Pallets)
	default:
		return s.attach(ctx, org, a)
	}
}

// attach stores the file, if there is one, and then the document. Where the
// document is certainly not stored the file is removed again; where that is
// not certain a sweep will find out.
func (s *Service) attach(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	doc := a.document()
	if _, err := s.fits(ctx, org, a, doc, len(a.Pallets)); err != nil {
		return Attached{}, err
	}
	doc.ID, doc.CreatedAt = DocumentID(s.newID()), instant(s.now())
	if !doc.Unfinished() {
		doc.ProcessedAt = doc.CreatedAt
	}
	if a.File != nil {
		if err := s.files.Put(ctx, FileKey{org, doc.ID}, section(a.File), a.File.Size); err != nil {
			return Attached{}, fmt.Errorf("store file: %w", err)
		}
	}
	done, err := repeat(func() (Attached, error) { return s.tryAttach(ctx, org, a, doc) })
	if err != nil && a.File != nil && !uncertain(err) {
		return Attached{}, errors.Join(err, s.discard(ctx, FileKey{org, doc.ID}))
	}
	return done, err
}

func (s *Service) tryAttach(ctx context.Context, org OrgID, a Attachment, doc Document) (Attached, error) {
	d, err := s.fits(ctx, org, a, doc, len(a.Pallets))
	if err != nil {
		return Attached{}, err
	}
	pallets := sourced(a.Pallets, doc.ID)
	r := s.revision(d, AttachDocument, a.Order, doc, pallets)
	if r.Checks = d.Checks; !doc.Unfinished() {
		if r.Checks, err = s.judged(ctx, org, d, r.documents, r.pallets); err != nil {
			return Attached{}, err
		}
	}
	r.Attached, r.Pallets = &doc, pallets
	return Attached{Shipment: d.ID, Document: doc, Checks: r.Checks}, s.revise(ctx, org, r)
}

// foresee says what a document would make of the shipment.
func (s *Service) foresee(ctx context.Context, org OrgID, a Attachment, doc Document, pallets []Pallet) (Attached, error) {
	d, err := s.fits(ctx, org, a, doc, len(pallets))
	if err != nil {
		return Attached{}, err
	}
	r := s.revision(d, AttachDocument, a.Order, doc, sourced(pallets, doc.ID))
	checks, err := s.judged(ctx, org, d, r.documents, r.pallets)
	return Attached{Shipment: d.ID, Document: doc, Checks: checks, DryRun: true}, err
}

// tryOut reads a file at once, within a short time, and says what it would
// make of the shipment.
func (s *Service) tryOut(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	if _, err := s.fits(ctx, org, a, a.document(), 0); err != nil {
		return Attached{}, err
	}
	reading, cancel := context.WithTimeout(ctx, toTry)
	defer cancel()
	read, err := s.reader.Read(reading, a.Type, a.File.Kind, a.File.Content, a.File.Size)
	if reading.Err() != nil && ctx.Err() == nil {
		err = &UnreadableError{Failure{Code: "too_slow", Detail: fmt.Sprintf("Reading takes longer than the %s of a dry run; attach the file to have it read.", toTry)}}
	}
	doc, pallets, err := a.document().finished(read, err, time.Time{})
	if err != nil {
		return Attached{}, fmt.Errorf("read file: %w", err)
	}
	done, err := s.foresee(ctx, org, a, doc, pallets)
	if doc.Status == Processed {
		done.Mappings = read.Mappings
	}
	return done, err
}

// fits returns the shipment if the document, with so many pallets, can be
// attached to it.
func (s *Service) fits(ctx context.Context, org OrgID, a Attachment, doc Document, pallets int) (Detail, error) {
	d, err := s.looked(ctx, org, AttachDocument, a.Order)
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
