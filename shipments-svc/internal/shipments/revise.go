package shipments

import (
	"context"
	"slices"
	"time"
)

// RunChecks runs the checks of a shipment. It is a pure function.
type RunChecks func(Evidence) []Check

// Evidence is the input of checks.
type Evidence struct {
	Draft
	Documents []Document
	Pallets   []Pallet // in the order of the documents
	Reused    []Use    // pallets that are in other shipments, too
}

// Use is a pallet in another shipment.
type Use struct {
	SSCC      string
	Reference string // the other shipment's
}

// reuseAfter is how long an SSCC belongs to the pallet that had it (GS1
// General Specifications, 4.1: not reused within 12 months).
const reuseAfter = 366 * 24 * time.Hour

// Revision is a change of a shipment by an action on a document or on its texts.
type Revision struct {
	From, To Shipment
	Entry    Entry
	Attached *Document // that is new; nil: none
	Changed  *Document // that was there; nil: none
	Detached DocumentID
	// Pallets of Attached or Changed: all that it has. Those of a Changed one
	// that is not finished stay as they are.
	Pallets []Pallet
	Checks  []Check // all of To
	// Lease is that of the job that the revision completes. Zero: a request of a
	// client.
	Lease Lease

	documents []Document // all of To
	pallets   []Pallet   // all of To
}

// revision returns what an action makes of a shipment with a document, which
// may be new, and its pallets.
func (s *Service) revision(d Detail, a Action, o Order, doc Document, pallets []Pallet) Revision {
	r := Revision{From: d.Shipment, To: d.Shipment}
	r.documents = append(without(d.Documents, doc.ID), doc)
	slices.SortStableFunc(r.documents, func(a, b Document) int { return slices.Compare(a.ID[:], b.ID[:]) })
	r.pallets = slices.Concat(withoutPallets(d.Pallets, doc.ID), pallets)
	s.complete(&r, a, o, doc.ID)
	return r
}

// removal returns what deleting a document makes of a shipment.
func (s *Service) removal(d Detail, o Order, doc DocumentID) Revision {
	r := Revision{From: d.Shipment, To: d.Shipment, Detached: doc}
	r.documents, r.pallets = without(d.Documents, doc), withoutPallets(d.Pallets, doc)
	s.complete(&r, DeleteDocument, o, doc)
	return r
}

// revisedDraft returns what an update makes of a shipment.
func (s *Service) revisedDraft(d Detail, o Order, draft Draft, changes []Change) Revision {
	r := Revision{From: d.Shipment, To: d.Shipment, documents: d.Documents, pallets: d.Pallets}
	s.complete(&r, Update, o, DocumentID{})
	r.To.Draft, r.Entry.Changes = draft, changes
	return r
}

// complete fills in what follows from the revision's documents and pallets.
func (s *Service) complete(r *Revision, a Action, o Order, doc DocumentID) {
	has := parts{pallets: len(r.pallets), unfinished: slices.ContainsFunc(r.documents, Document.Unfinished)}
	r.To.Status, _ = move(a, r.From.Status, has) // permitted has seen that it is allowed
	r.To.Version, r.To.PalletsCount = r.From.Version+1, len(r.pallets)
	r.Entry = Entry{Version: r.To.Version, At: instant(s.now()), By: o.By, Action: a, Status: r.To.Status, Document: doc}
}

// without returns the documents less one. A dry run's, which has no ID, is
// never among them.
func without(all []Document, id DocumentID) []Document {
	return slices.DeleteFunc(slices.Clone(all), func(doc Document) bool { return doc.ID == id })
}

// withoutPallets returns the pallets less those of a document. Those that were
// loaded by an operator are of none.
func withoutPallets(all []Pallet, id DocumentID) []Pallet {
	return slices.DeleteFunc(slices.Clone(all), func(p Pallet) bool {
		return id != (DocumentID{}) &&
			p.Source.Document == id
	})
}

// getFor returns a shipment that allows an action.
func (s *Service) getFor(ctx context.Context, org OrgID, a Action, o Order) (Detail, error) {
	d, err := s.repo.Get(ctx, org, o.ID)
	if err != nil {
		return Detail{}, err
	}
	return d, permitted(a, o, d.Shipment)
}

// permitted reports why an action may not be done with a shipment, or nil.
func permitted(a Action, o Order, s Shipment) error {
	if !o.isFor(s.Version) {
		return ErrVersion
	}
	_, err := move(a, s.Status, parts{})
	return err
}

// checksOf returns the checks of a revised shipment. Without documents and pallets
// there are none, as for a new shipment.
func (s *Service) checksOf(ctx context.Context, org OrgID, r Revision) ([]Check, error) {
	if len(r.documents) == 0 && len(r.pallets) == 0 {
		return []Check{}, nil
	}
	evidence := Evidence{Draft: r.To.Draft, Documents: r.documents, Pallets: r.pallets}
	if labels := r.ssccs(); len(labels) > 0 {
		var err error
		if evidence.Reused, err = s.repo.PalletUses(ctx, org, r.From.ID, labels, s.now().Add(-reuseAfter)); err != nil {
			return nil, err
		}
	}
	return s.runChecks(evidence), nil
}

// ssccs returns those of the revision's pallets.
func (r Revision) ssccs() (all []string) {
	for _, p := range r.pallets {
		if sscc, ok := p.Label(); ok {
			all = append(all, sscc)
		}
	}
	return all
}

// checkAndRevise makes the checks of a revision and stores it. Where pallets have
// SSCCs, both are one transaction, and the organization's next one waits for it:
// of two shipments that get the same SSCC at once, one sees the other.
func (s *Service) checkAndRevise(ctx context.Context, org OrgID, r *Revision) error {
	store := func(ctx context.Context) (err error) {
		if r.Checks, err = s.checksOf(ctx, org, *r); err != nil {
			return err
		}
		return s.revise(ctx, org, *r)
	}
	if len(r.ssccs()) == 0 {
		return store(ctx)
	}
	return s.repo.Exclusively(ctx, org, store)
}

// revise stores a revision, or returns errConflict.
func (s *Service) revise(ctx context.Context, org OrgID, r Revision) error {
	return conflict(s.repo.Revise(ctx, org, r))
}
