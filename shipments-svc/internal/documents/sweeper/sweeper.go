// Package sweeper removes stored files that belong to no document: of requests
// that were cut off between storing the file and the document, and of documents
// that were deleted while the store was away.
//
// A database that was restored, emptied or swapped knows fewer files than there
// are. Guarantees: nothing is removed unless the database and the store carry
// the same identity; nothing is removed before it has been in quarantine for a
// week, which its document's return ends; nothing is removed where that would be
// an unusual share of all files; and nothing is removed when a program starts.
package sweeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Every is how often files are swept.
	Every = time.Hour
	// Quarantine is how long a file without a document is kept after it was
	// found.
	Quarantine = 7 * 24 * time.Hour

	// orphanAge is how old a file without a document must be: older than any
	// request becomes between storing the one and the other.
	orphanAge = time.Hour
	// More than both at once are an unusual share.
	unusualFiles   = 20
	unusualPercent = 10

	batch   = 500    // files looked up at once
	maxOnce = 10_000 // files removed by one sweep
)

// Reasons not to remove anything. An operator has to act.
var (
	// ErrOtherStore says that database and store do not carry the same identity.
	ErrOtherStore = errors.New("the store of files is not the one that the database is bound to")
	// ErrUnbound says that the store carries no identity, and has files that the
	// database does not know.
	ErrUnbound = errors.New("the store of files carries no identity, and has files that the database does not know")
	// ErrUnusualShare says that too large a share of the files would be removed.
	ErrUnusualShare = errors.New("an unusual share of the files would be removed")
)

// Ledger is what the database knows of files.
type Ledger interface {
	// StoreID returns the identity of the store that the database is bound to;
	// zero if it is bound to none.
	StoreID(ctx context.Context) (shipments.StoreID, error)
	// BindStore binds the database to a store unless it is bound already, and
	// returns the identity of the store that it is bound to.
	BindStore(ctx context.Context, id shipments.StoreID) (shipments.StoreID, error)
	// AdoptStore binds the database to a store whatever it was bound to.
	AdoptStore(ctx context.Context, id shipments.StoreID) error
	// Known reports which documents there are of these.
	Known(ctx context.Context, org shipments.OrgID, ids []shipments.DocumentID) (map[shipments.DocumentID]bool, error)
	// Quarantine puts the files of a store that have no document into
	// quarantine, unless they are in it, and takes those out that have one. It
	// returns since when each that has none is in it.
	Quarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID, ids []shipments.DocumentID, now time.Time) (map[shipments.DocumentID]time.Time, error)
	// ExpireQuarantine takes files out of quarantine that were put there before a time and
	// still have no document, and returns which these were.
	ExpireQuarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID, ids []shipments.DocumentID, before time.Time) ([]shipments.DocumentID, error)
}

// Store is Files that carry an identity.
type Store interface {
	shipments.Files
	// Identity returns the store's identity; zero if it carries none.
	Identity(ctx context.Context) (shipments.StoreID, error)
	// SetIdentity replaces the store's identity.
	SetIdentity(ctx context.Context, id shipments.StoreID) error
}

// Result is what a sweep found and did.
type Result struct {
	Files       int // that are older than an hour
	Quarantined int // of them, that have no document, without those that were removed
	Removed     int
}

// Sweeper removes files that belong to no document.
type Sweeper struct {
	ledger Ledger
	store  Store
	newID  func() [16]byte
	now    func() time.Time
}

// New returns a Sweeper.
func New(ledger Ledger, store Store, newID func() [16]byte, now func() time.Time) *Sweeper {
	return &Sweeper{ledger: ledger, store: store, newID: newID, now: now}
}

// Run sweeps every hour until ctx ends, the first time after an hour, and
// reports each sweep.
func (s *Sweeper) Run(ctx context.Context, report func(Result, error)) {
	again := time.NewTicker(Every)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			result, err := s.Sweep(ctx)
			if ctx.Err() == nil {
				report(result, err)
			}
		}
	}
}

// Sweep puts files without a document into quarantine, and removes those whose
// quarantine is over unless that is an unusual share.
func (s *Sweeper) Sweep(ctx context.Context) (Result, error) {
	return s.sweep(ctx, func(files, due int) error {
		if due > unusualFiles && due*100 > files*unusualPercent {
			return fmt.Errorf("%w: %d of %d", ErrUnusualShare, due, files)
		}
		return nil
	})
}

// Purge is Sweep for an operator who wants the unusual share removed.
func (s *Sweeper) Purge(ctx context.Context) (Result, error) {
	return s.sweep(ctx, func(int, int) error { return nil })
}

func (s *Sweeper) sweep(ctx context.Context, admit func(files, due int) error) (Result, error) {
	id, err := s.bind(ctx)
	if err != nil {
		return Result{}, err
	}
	now := s.now().Truncate(time.Millisecond) // as the ledger keeps it
	var r Result
	due, dueFiles := map[shipments.OrgID][]shipments.DocumentID{}, 0
	r.Files, err = s.scan(ctx, func(org shipments.OrgID, docs []shipments.DocumentID) error {
		orphans, err := s.ledger.Quarantine(ctx, org, id, docs, now)
		for doc, since := range orphans {
			if r.Quarantined++; now.Sub(since) < Quarantine {
				continue
			}
			if dueFiles++; dueFiles <= maxOnce {
				due[org] = append(due[org], doc)
			}
		}
		return err
	})
	if err != nil {
		return r, err
	}
	if err := admit(r.Files, dueFiles); err != nil {
		return r, err
	}
	for org, docs := range due {
		gone, err := s.ledger.ExpireQuarantine(ctx, org, id, docs, now.Add(-Quarantine))
		for _, doc := range gone {
			if err == nil {
				err = s.store.Delete(ctx, shipments.FileKey{Org: org, Document: doc})
			}
			if err == nil {
				r.Removed++
				r.Quarantined--
			}
		}
		if err != nil {
			return r, fmt.Errorf("remove files: %w", err) // what is left is quarantined anew
		}
	}
	return r, nil
}

// scan calls do for all files that are older than an hour, some of one
// organization at a time, and returns how many there are.
func (s *Sweeper) scan(ctx context.Context, do func(shipments.OrgID, []shipments.DocumentID) error) (files int, err error) {
	batches := map[shipments.OrgID][]shipments.DocumentID{}
	for key, err := range s.store.List(ctx, s.now().Add(-orphanAge)) {
		if err != nil {
			return files, fmt.Errorf("list files: %w", err)
		}
		files++
		if batches[key.Org] = append(batches[key.Org], key.Document); len(batches[key.Org]) == batch {
			if err := do(key.Org, batches[key.Org]); err != nil {
				return files, fmt.Errorf("look up files: %w", err)
			}
			delete(batches, key.Org)
		}
	}
	for org, docs := range batches {
		if err := do(org, docs); err != nil {
			return files, fmt.Errorf("look up files: %w", err)
		}
	}
	return files, nil
}
