package shipments

import (
	"cmp"
	"context"
	"errors"
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

// Revision is a change of a shipment by an action on it or on a document.
type Revision struct {
	From, To Shipment
	Entry    Entry
	Document *Document // that is new or changed; nil: none
	Detached DocumentID
	// Pallets of Document: all that it has. Those of one that is not finished stay as they
	// are.
	Pallets []Pallet
	Checks  []Check // all of To; nil: as they are
	// Lease is that of the job that the revision completes. Zero: a request of a
	// client.
	Lease Lease

	documents []Document // all of To, in the order of their IDs
	pallets   []Pallet   // all of To; nil: they were not read
	keep      *Template  // stored with the revision; nil: none
}

// errUnchanged ends a change that would change nothing.
var errUnchanged = errors.New("nothing changes")

// change performs an action with optimistic locking: it makes the revision and stores it if
// the shipment still has the same version. On a version conflict it begins again, until ctx
// ends. A decision, and a document that is to be read, leave the checks as they are, and pallets unread. Where
// pallets have SSCCs, checks and storing are one transaction, and the organization's next one
// waits for it: of two shipments that get the same SSCC at once, one sees the other.
func (s *Service) change(
	ctx context.Context, org OrgID, a Action, o Order, p Parts, edit func(*Revision) error,
) (Revision, error) {
	for {
		r, release, err := s.revision(ctx, org, a, o, p, edit)
		if errors.Is(err, errUnchanged) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		store := func(ctx context.Context) error {
			if err := s.check(ctx, org, &r); err != nil {
				return err
			}
			err := s.repo.Revise(ctx, org, r)
			if err == nil && r.keep != nil {
				err = s.repo.PutTemplate(ctx, org, *r.keep)
			}
			if errors.Is(err, ErrTooManyTemplates) { // since the correction; the reading counts
				err = nil
			}
			return err
		}
		switch action := r.Entry.Action; {
		case action == Approve || action == Reject || r.Document != nil && r.Document.Unfinished():
			unchecked := r
			unchecked.Checks = nil
			err = s.repo.Revise(ctx, org, unchecked)
		case len(r.ssccs()) > 0 || r.keep != nil:
			err = s.repo.Exclusively(ctx, org, store)
		default:
			err = store(ctx)
		}
		release()
		if !errors.Is(err, ErrVersion) {
			return r, err
		}
	}
}

// revision returns what an action makes of a shipment, without the checks: what edit does,
// and what follows from that. release ends the use of memory for it.
func (s *Service) revision(
	ctx context.Context, org OrgID, a Action, o Order, p Parts, edit func(*Revision) error,
) (r Revision, release func(), err error) {
	d, release, err := s.read(ctx, org, o.ID, p)
	if err != nil {
		return Revision{}, release, err
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	if a == Approve && d.Status == Approved {
		return Revision{To: d.Shipment}, release, errUnchanged
	}
	if o.Expects != nil && !o.Expects(d.Version) {
		return Revision{}, release, ErrVersion
	}
	if _, err := move(a, d.Status, parts{}); err != nil {
		return Revision{}, release, err
	}
	r = Revision{
		From: d.Shipment, To: d.Shipment, Checks: d.Checks, documents: d.Documents, pallets: d.Pallets,
		Entry: Entry{Version: d.Version + 1, At: instant(s.now()), By: o.By, Action: a},
	}
	if err = edit(&r); err != nil {
		return r, release, err
	}
	has := parts{pallets: r.To.PalletsCount, unfinished: slices.ContainsFunc(r.documents, Document.Unfinished)}
	r.To.Status, err = move(r.Entry.Action, d.Status, has)
	r.To.Version, r.Entry.Status = r.Entry.Version, r.To.Status
	return r, release, err
}

// put makes a document part of the revision, with its pallets unless it is still to be read. Each
// pallet is from its row or, without one, from that of its place in the list.
func (r *Revision) put(doc Document, pallets []Pallet) {
	extracted := 0
	if i, ok := r.find(doc.ID); ok {
		extracted, r.documents[i] = r.documents[i].PalletsExtracted, doc
	} else {
		r.documents = slices.Insert(r.documents, i, doc)
	}
	if !doc.Unfinished() {
		r.Pallets = slices.Clone(pallets)
		for i := range r.Pallets {
			source := &r.Pallets[i].Source
			source.Document, source.Row = doc.ID, cmp.Or(source.Row, i+1)
		}
		r.To.PalletsCount += len(pallets) - extracted
		if r.pallets != nil {
			r.pallets = append(withoutPallets(r.pallets, doc.ID), r.Pallets...)
		}
	}
	r.Document, r.Entry.Document = &doc, doc.ID
}

// find returns the place of a document among those of the shipment, and whether it is there.
func (r *Revision) find(id DocumentID) (int, bool) {
	return slices.BinarySearchFunc(r.documents, id, func(doc Document, id DocumentID) int {
		return slices.Compare(doc.ID[:], id[:])
	})
}

// withoutPallets returns the pallets less those of a document. Those of the demo are of none.
func withoutPallets(all []Pallet, id DocumentID) []Pallet {
	return slices.DeleteFunc(slices.Clone(all), func(p Pallet) bool {
		return id != (DocumentID{}) && p.Source.Document == id
	})
}

// check makes the checks of a revision. Without documents and pallets there are none, as for
// a new shipment.
func (s *Service) check(ctx context.Context, org OrgID, r *Revision) (err error) {
	if r.pallets == nil {
		r.Checks = []Check{tooLargeToCheck}
		return nil
	}
	if r.Checks = []Check{}; len(r.documents) == 0 && len(r.pallets) == 0 {
		return nil
	}
	evidence := Evidence{Draft: r.To.Draft, Documents: r.documents, Pallets: r.pallets}
	if labels := r.ssccs(); len(labels) > 0 {
		if evidence.Reused, err = s.repo.PalletUses(ctx, org, r.From.ID, labels, s.now().Add(-reuseAfter)); err != nil {
			return err
		}
	}
	r.Checks = s.runChecks(evidence)
	return nil
}

// ssccs returns those of the revision's pallets.
func (r *Revision) ssccs() (all []string) {
	for _, p := range r.pallets {
		if sscc := p.Label(); sscc != "" {
			all = append(all, sscc)
		}
	}
	return all
}
