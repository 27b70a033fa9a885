package shipments

import (
	"context"
	"time"
)

// Lookups are the methods of a Repository that a Service has as they are.
type Lookups interface {
	// Head returns a shipment without its parts, or ErrNotFound. Of a
	// shipment that was changed it never returns an earlier version.
	Head(ctx context.Context, org OrgID, id ID) (Head, error)

	// Tallies returns what the checks of shipments found, of those that have checks.
	Tallies(ctx context.Context, org OrgID, ids []ID) (map[ID]Tally, error)

	// Documents returns the documents of a shipment in the order of their
	// IDs, or ErrNotFound.
	Documents(ctx context.Context, org OrgID, id ID) ([]Document, error)

	// Comments returns the comments on a shipment, the latest first; none if there is no such shipment.
	Comments(ctx context.Context, org OrgID, id ID) ([]Comment, error)
}

// Repository keeps shipments. Every method answers for one organization
// only. Its errors are ErrNotFound, ErrUnavailable, the context's, or a fault
// of the program; writes are done whole or not at all, with the events that
// Announce makes of them.
type Repository interface {
	Lookups

	// List returns up to limit of the shipments that meet the filter, in the
	// order that Page states, after the first offset ones, and the number
	// there are in all; both as of one instant.
	List(ctx context.Context, org OrgID, f Filter, offset, limit int64) ([]Shipment, int64, error)

	// ListAfter returns up to limit of these shipments in that order: those that follow one of them, or
	// the first where last is nil.
	ListAfter(ctx context.Context, org OrgID, f Filter, last *Shipment, limit int64) ([]Shipment, error)

	// Sorted is List in another order. Where more than MaxMatches meet a filter it is ErrTooBroad.
	Sorted(ctx context.Context, org OrgID, f Filter, s Sort, offset, limit int64) ([]Shipment, int64, error)

	// Overview returns the newest few shipments that wait for something, the latest few changes by people, and the
	// decisions of twelve weeks from a Monday on.
	Overview(ctx context.Context, org OrgID, monday time.Time, few int) (Overview, error)

	// Get returns a shipment with parts of it as of one instant, or
	// ErrNotFound. Parts with more than atMost bytes are nil.
	Get(ctx context.Context, org OrgID, id ID, p Parts, atMost int64) (Detail, error)

	// Lines returns up to limit lines of a shipment's pallets, in the order of Detail, after the first offset ones,
	// or ErrNotFound.
	Lines(ctx context.Context, org OrgID, id ID, offset, limit int64) (PalletsPage, error)

	// Versions returns the versions of those of the shipments that there are.
	Versions(ctx context.Context, org OrgID, ids []ID) (map[ID]int64, error)

	// Create stores a shipment that has no parts, and begins its history.
	Create(ctx context.Context, org OrgID, s Shipment, by Actor) error

	// Document returns a document with its mappings, or ErrNotFound or ErrNoDocument.
	Document(ctx context.Context, org OrgID, id ID, document DocumentID) (Document, error)

	// Templates returns the templates of these fingerprints, or all where these are
	// nil, in the order of their IDs.
	Templates(ctx context.Context, org OrgID, fingerprints []string) ([]Template, error)

	// PutTemplate stores a template, in place of one with its fingerprint. Where there
	// are MaxTemplates others the error is ErrTooManyTemplates.
	PutTemplate(ctx context.Context, org OrgID, t Template) error

	// DeleteTemplate removes a template, or returns ErrNoTemplate.
	DeleteTemplate(ctx context.Context, org OrgID, id TemplateID) error

	// Locked runs do in a transaction, which do's context carries into the Repository's methods, while no other
	// Locked of these things of the organization does.
	Locked(ctx context.Context, org OrgID, things string, do func(context.Context) error) error

	// Revise stores a revision whole, if the shipment still has the status
	// and the version of From; otherwise it does nothing and returns
	// ErrVersion. The mappings of Document are stored once it is finished. With a
	// Lease it also ends the job of Document; where that has
	// another Run or Lease it does nothing and returns ErrLost. A document
	// that is Queued gets a job. Where pallets have other uses than those of Reuse
	// it does nothing and returns ErrVersion: of two shipments that get the same SSCC
	// at once, the checks of the one that is stored later have the other.
	Revise(ctx context.Context, org OrgID, r Revision) error

	// PalletUses returns where these SSCCs are pallets of other shipments that
	// were created after a time and are not rejected, ordered by SSCC and
	// Reference; at most MaxLocations of them.
	PalletUses(ctx context.Context, org OrgID, except ID, ssccs []string, after time.Time) ([]Use, error)

	// Delete removes a shipment, its parts and its history, if it still has
	// the status and the version of s; otherwise it does nothing and returns
	// ErrVersion. The entry is announced, and is in the Activity of the organization.
	Delete(ctx context.Context, org OrgID, s Shipment, e Entry) error

	// Events returns up to limit events whose Number is higher than after, in
	// the order of their Numbers.
	Events(ctx context.Context, org OrgID, after, limit int64) ([]Event, Feed, error)

	// History returns up to limit entries of a shipment's history, the
	// latest first, after the first offset ones, and the number there are in
	// all; or ErrNotFound.
	History(ctx context.Context, org OrgID, id ID, offset, limit int64) ([]Entry, int64, error)

	// AddComment adds a comment under an id to a shipment, unless that has MaxComments, or returns ErrNotFound.
	AddComment(ctx context.Context, org OrgID, of, id ID, c Comment) (added bool, err error)

	// Activity returns up to limit of what was noted, the latest first, after the first offset ones, and the number there
	// are in all.
	Activity(ctx context.Context, org OrgID, offset, limit int64) ([]Activity, int64, error)

	// Once does what do does in a transaction, which do's context carries
	// into the Repository's methods, and stores the answer under the key
	// until KeyLife after now. If an answer is stored already it returns
	// that instead, and true; ErrKeyReused where the fingerprint is
	// another; and ErrKeyInProgress while another call with the key goes on.
	// An error of do is returned, and nothing of what it did is left.
	Once(
		ctx context.Context, org OrgID, k Key, now time.Time, do func(context.Context) ([]byte, error),
	) (answer []byte, replayed bool, err error)
}
