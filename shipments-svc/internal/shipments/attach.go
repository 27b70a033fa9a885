package shipments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Judge makes the checks of a shipment. It is a pure function.
type Judge func(Evidence) []Check

// Evidence is what checks are made on.
type Evidence struct {
	Draft
	Documents []Document
	Pallets   []Pallet // in the order of the documents
	Elsewhere []Use    // where else the organization has these pallets
}

// Use is a pallet in another shipment.
type Use struct {
	SSCC      string
	Reference string // the other shipment's
}

// reuseAfter is how long an SSCC belongs to the pallet that had it (GS1
// General Specifications, 4.1: not reused within 12 months).
const reuseAfter = 366 * 24 * time.Hour

// perPallet is how much longer an attachment may take for each of its pallets:
// two seconds for as many as there may be.
const perPallet = 200 * time.Microsecond

// Waits is how much longer than others the request may take.
func (a Attachment) Waits() time.Duration { return time.Duration(len(a.Pallets)) * perPallet }

// Revision is what attaching or deleting a document makes of a shipment.
type Revision struct {
	From, To Shipment
	Entry    Entry
	Attached *Document // nil: none
	Pallets  []Pallet  // of Attached
	Detached DocumentID
	Checks   []Check // all of To
}

// Attach adds a document to a shipment: its pallets and the checks with them
// become the shipment's at once, and the shipment ready for review. One whose
// content the shipment has gives DuplicateError.
func (s *Service) Attach(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	if f := a.Faults(); f != nil {
		return Attached{}, &Invalid{Faults: f}
	}
	return repeat(func() (Attached, error) { return s.tryAttach(ctx, org, a) })
}

// Detach removes a document, its pallets and what they made of the checks.
func (s *Service) Detach(ctx context.Context, org OrgID, d Detachment) (struct{}, error) {
	return repeat(func() (struct{}, error) { return struct{}{}, s.tryDetach(ctx, org, d) })
}

// Documents returns the documents of a shipment, the first attached first.
func (s *Service) Documents(ctx context.Context, org OrgID, id ID) ([]Document, error) {
	all, err := s.repo.Documents(ctx, org, id)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	return all, nil
}

// Document returns a document of a shipment, or ErrNoDocument.
func (s *Service) Document(ctx context.Context, org OrgID, q DocumentQuery) (Document, error) {
	all, err := s.Documents(ctx, org, q.Shipment)
	if err != nil {
		return Document{}, err
	}
	for _, doc := range all {
		if doc.ID == q.Document {
			return doc, nil
		}
	}
	return Document{}, ErrNoDocument
}

func (s *Service) tryAttach(ctx context.Context, org OrgID, a Attachment) (Attached, error) {
	d, err := s.looked(ctx, org, AttachDocument, a.Order)
	if err != nil {
		return Attached{}, err
	}
	doc := Document{
		Type: a.Type, Status: Processed, SHA256: a.sum(), Declared: a.Declared,
		RowsRead: len(a.Pallets), PalletsExtracted: len(a.Pallets),
	}
	for _, other := range d.Documents {
		if other.SHA256 == doc.SHA256 {
			return Attached{}, &DuplicateError{ID: other.ID}
		}
	}
	if total := len(d.Pallets) + len(a.Pallets); total > MaxPallets {
		var f faults
		f.add(TooManyPallets, "/document/pallets", "a shipment has at most %d pallets; with these it would have %d", MaxPallets, total)
		return Attached{}, &Invalid{Faults: f}
	}
	if !a.DryRun {
		doc.ID, doc.CreatedAt = DocumentID(s.newID()), instant(s.now())
		doc.ProcessedAt = doc.CreatedAt
	}
	pallets := slices.Clone(a.Pallets)
	for i := range pallets {
		pallets[i].Source = Source{Document: doc.ID, Row: i + 1}
	}
	checks, err := s.judged(ctx, org, d, append(slices.Clone(d.Documents), doc), append(slices.Clone(d.Pallets), pallets...))
	if err != nil || a.DryRun {
		return Attached{Shipment: d.ID, Document: doc, Checks: checks, DryRun: true}, err
	}
	r := s.revision(d.Shipment, AttachDocument, a.Order, doc.ID, d.PalletsCount+len(pallets))
	r.Attached, r.Pallets, r.Checks = &doc, pallets, checks
	return Attached{Shipment: d.ID, Document: doc, Checks: checks}, s.revise(ctx, org, r)
}

func (s *Service) tryDetach(ctx context.Context, org OrgID, o Detachment) error {
	d, err := s.repo.Get(ctx, org, o.ID)
	if err != nil {
		return fmt.Errorf("delete document: %w", err)
	}
	is := func(doc Document) bool { return doc.ID == o.Document }
	if !slices.ContainsFunc(d.Documents, is) {
		return ErrNoDocument
	}
	if err := permitted(DeleteDocument, o.Order, d.Shipment); err != nil {
		return err
	}
	pallets := slices.DeleteFunc(slices.Clone(d.Pallets), func(p Pallet) bool { return p.Source.Document == o.Document })
	r := s.revision(d.Shipment, DeleteDocument, o.Order, o.Document, len(pallets))
	r.Detached = o.Document
	if r.Checks, err = s.judged(ctx, org, d, slices.DeleteFunc(slices.Clone(d.Documents), is), pallets); err != nil {
		return err
	}
	return s.revise(ctx, org, r)
}

// looked returns a shipment with which an action is allowed.
func (s *Service) looked(ctx context.Context, org OrgID, a Action, o Order) (Detail, error) {
	d, err := s.repo.Get(ctx, org, o.ID)
	if err != nil {
		return Detail{}, fmt.Errorf("%s: %w", a, err)
	}
	return d, permitted(a, o, d.Shipment)
}

// permitted reports why an action may not be done with a shipment, or nil.
func permitted(a Action, o Order, s Shipment) error {
	if !o.Expect.met(s.Version) {
		return ErrVersion
	}
	_, err := move(a, s, s.PalletsCount)
	return err
}

// judged returns the checks of a shipment with these documents and pallets.
// One that has neither has none, like a new one.
func (s *Service) judged(ctx context.Context, org OrgID, d Detail, docs []Document, pallets []Pallet) ([]Check, error) {
	if len(docs) == 0 && len(pallets) == 0 {
		return []Check{}, nil
	}
	var labels []string
	for _, p := range pallets {
		if sscc, ok := SSCC(p.Number); ok {
			labels = append(labels, sscc)
		}
	}
	evidence := Evidence{Draft: d.Draft, Documents: docs, Pallets: pallets}
	if len(labels) > 0 {
		var err error
		if evidence.Elsewhere, err = s.repo.Elsewhere(ctx, org, d.ID, labels, s.now().Add(-reuseAfter)); err != nil {
			return nil, fmt.Errorf("look for pallets elsewhere: %w", err)
		}
	}
	return s.judge(evidence), nil
}

func (s *Service) revision(from Shipment, a Action, o Order, doc DocumentID, pallets int) Revision {
	to := from
	to.Status, _ = move(a, from, pallets) // permitted has seen that it is allowed
	to.Version, to.PalletsCount = from.Version+1, pallets
	return Revision{From: from, To: to, Entry: Entry{
		Version: to.Version, At: instant(s.now()), By: o.By, Action: a, Status: to.Status, Document: doc,
	}}
}

func (s *Service) revise(ctx context.Context, org OrgID, r Revision) error {
	err := s.repo.Revise(ctx, org, r)
	if errors.Is(err, ErrVersion) {
		return errOvertaken
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Entry.Action, err)
	}
	return nil
}
