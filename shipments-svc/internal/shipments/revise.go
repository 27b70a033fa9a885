package shipments

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
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
	// Pallets of Document: all that it has. Those of one that is not finished, or Kept, stay as they
	// are, as do its mappings.
	Pallets []Pallet
	Kept    bool
	Checks  []Check // all of To; nil: as they are
	// Lease is that of the job that the revision completes. Zero: a request of a
	// client.
	Lease Lease
	Keep  *Template // stored with the revision, unless there are too many; nil: none
	Reuse           // that Checks were made with

	documents []Document // all of To, in the order of their IDs
	pallets   []Pallet   // all of To; nil: they were not read
}

// Reuse is where pallets of a revision are in other shipments, too.
type Reuse struct {
	SSCCs []string  // of all pallets; none: nothing is looked for
	After time.Time // other shipments were created after it
	Uses  []Use
}

// errUnchanged ends a change that would change nothing.
var errUnchanged = errors.New("nothing changes")

// change performs an action with optimistic locking: it makes the revision and stores it if
// the shipment still has the same version. On a version conflict it begins again, until ctx
// ends. A decision, and a document that is to be read, leave the checks as they are, and pallets unread.
func (s *Service) change(
	ctx context.Context, org OrgID, a Action, o Order, p Parts, edit func(*Revision) error,
) (Revision, error) {
	if ctx.Value(onceKey{}) == nil {
		release, err := s.acquireChange(ctx, org)
		if err != nil {
			return Revision{}, err
		}
		defer release()
	}
	for {
		r, release, err := s.revision(ctx, org, a, o, p, edit)
		if errors.Is(err, errUnchanged) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		if action := r.Entry.Action; action == Approve || action == Reject || r.Document != nil && r.Document.Unfinished() {
			unchecked := r
			unchecked.Checks = nil
			err = s.repo.Revise(ctx, org, unchecked)
		} else if err = s.check(ctx, org, &r); err == nil {
			err = s.repo.Revise(ctx, org, r)
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
	at := instant(s.now())
	if at.Before(d.UpdatedAt) { // another machine's clock is ahead
		at = d.UpdatedAt
	}
	r = Revision{
		From: d.Shipment, To: d.Shipment, Checks: d.Checks, documents: d.Documents, pallets: d.Pallets,
		Entry: Entry{Version: d.Version + 1, At: at, By: o.By, Action: a},
	}
	if err = edit(&r); err != nil {
		return r, release, err
	}
	has := parts{pallets: r.To.PalletsCount, unfinished: slices.ContainsFunc(r.documents, Document.Unfinished)}
	r.To.Status, err = move(r.Entry.Action, d.Status, has)
	r.To.Version, r.To.UpdatedAt, r.Entry.Status = r.Entry.Version, r.Entry.At, r.To.Status
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

// withoutPallets returns the pallets less those of a document.
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
	r.To.Containers = r.containers()
	if r.Checks = []Check{}; len(r.documents) == 0 && len(r.pallets) == 0 {
		return nil
	}
	evidence := Evidence{Draft: r.To.Draft, Documents: r.documents, Pallets: r.pallets}
	if r.SSCCs = r.ssccs(); len(r.SSCCs) > 0 {
		r.After = s.now().Add(-reuseAfter)
		if r.Uses, err = s.repo.PalletUses(ctx, org, r.From.ID, r.SSCCs, r.After); err != nil {
			return err
		}
	}
	evidence.Reused = r.Uses
	r.Checks = s.runChecks(evidence)
	return nil
}

// maxContainers is how many container numbers of a shipment are searched.
const maxContainers = 100

// containers returns the container numbers of the revision, as they are written and as one word.
func (r *Revision) containers() string {
	var all []string
	add := func(number string) {
		word := strings.Map(func(c rune) rune {
			if unicode.IsLetter(c) || unicode.IsDigit(c) {
				return c
			}
			return -1
		}, number)
		if number != "" && !slices.Contains(all, number) && len(all) < 2*maxContainers {
			all = append(all, number, word)
		}
	}
	for _, d := range r.documents {
		add(d.Declared.ContainerNumber)
		for _, f := range d.Facts {
			if f.Kind == list.ContainerFact {
				add(f.Text)
			}
		}
	}
	for _, p := range r.pallets {
		add(p.Content().Container)
		for _, c := range p.Contents {
			add(c.Container)
		}
	}
	return strings.Join(all, "\n")
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
