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
	p, err := s.prepare(ctx, org, a)
	if err != nil {
		return Attached{}, err
	}
	done, err := p.commit(ctx)
	if err != nil {
		return Attached{}, errors.Join(err, p.discard(ctx, err))
	}
	return done, nil
}

// AttachOnce is Attach, done once for each key: see Once. encode makes the answer
// that is recorded, in the transaction of the attachment. The file is read or stored
// before that, while no connection to the database is held. Of concurrent requests
// with a key each does so, and one is recorded.
func (s *Service) AttachOnce(ctx context.Context, org OrgID, k Key, a Attachment,
	encode func(Attached) ([]byte, error),
) (answer []byte, replayed bool, err error) {
	answer, replayed, err = s.repo.Answer(ctx, org, k, s.now())
	if err != nil || replayed {
		return answer, replayed, err
	}
	p, err := s.prepare(ctx, org, a)
	if errors.As(err, new(*DuplicateError)) { // perhaps of a concurrent request with the key
		if answer, replayed, _ := s.repo.Answer(ctx, org, k, s.now()); replayed {
			return answer, true, nil
		}
	}
	if err != nil {
		return nil, false, err
	}
	answer, replayed, err = s.repo.Once(ctx, org, k, s.now(), func(ctx context.Context) ([]byte, error) {
		done, err := p.commit(ctx)
		if err != nil {
			return nil, err
		}
		return encode(done)
	})
	if err != nil || replayed {
		err = errors.Join(err, p.discard(ctx, err))
	}
	return answer, replayed, err
}

// prepared is an attachment whose file was stored, or read for a dry run. Either
// commit or discard ends it.
type prepared struct {
	service *Service
	org     OrgID
	Attachment
	doc     Document  // to be stored
	preview *Attached // the result of a dry run; nil: it is none
}

// prepare is the first phase of Attach, outside of transactions: it validates
// the attachment and reads or stores its file.
func (s *Service) prepare(ctx context.Context, org OrgID, a Attachment) (*prepared, error) {
	if f := a.Faults(); f != nil {
		return nil, &Invalid{Faults: f}
	}
	p := &prepared{service: s, org: org, Attachment: a, doc: a.document()}
	if a.DryRun {
		preview, err := s.preview(ctx, org, a)
		p.preview = &preview
		return p, err
	}
	if _, err := s.getAttachable(ctx, org, a, p.doc, len(a.Pallets)); err != nil {
		return nil, err
	}
	p.doc.ID, p.doc.CreatedAt = DocumentID(s.newID()), instant(s.now())
	if !p.doc.Unfinished() {
		p.doc.ProcessedAt = p.doc.CreatedAt
	}
	if a.File != nil {
		if err := s.files.Put(ctx, FileKey{org, p.doc.ID}, io.NewSectionReader(a.File.Content, 0, a.File.Size),
			a.File.Size); err != nil {
			return nil, fmt.Errorf("store file: %w", err)
		}
	}
	return p, nil
}

// commit makes the document part of the shipment. It does nothing but database
// work, so it may be part of a transaction.
func (p *prepared) commit(ctx context.Context) (Attached, error) {
	if p.preview != nil {
		return *p.preview, nil
	}
	return repeat(func() (Attached, error) { return p.service.tryAttach(ctx, p.org, p.Attachment, p.doc) })
}

// discard removes the file of an attachment that was not committed, because of
// cause. If the cause leaves open whether it was, the file is left to a sweep.
func (p *prepared) discard(ctx context.Context, cause error) error {
	if p.preview != nil || p.File == nil || cause != nil && uncertain(cause) {
		return nil
	}
	return p.service.discard(ctx, FileKey{p.org, p.doc.ID})
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
	r := s.revision(d, AttachDocument, a.Order, doc, sourced(pallets, doc.ID))
	checks, err := s.checksOf(ctx, org, r)
	return Attached{Shipment: d.ID, Document: doc, Checks: checks, DryRun: true}, err
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
