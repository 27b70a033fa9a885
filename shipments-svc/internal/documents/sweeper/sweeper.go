// Package sweeper removes stored files without a document: of requests that were
// interrupted between storing the file and the document, and of documents that were
// deleted while the store was unavailable.
//
// A restored, emptied or swapped database lacks documents of stored files.
// Guarantees: files are removed only if the database and the store have the same
// identity, after a week in quarantine, which ends when the document is in the
// database again, and never an unusual share of all files or at start-up.
package sweeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// Every is the interval of sweeps.
	Every = time.Hour
	// Quarantine is how long a file without a document is kept.
	Quarantine = 7 * 24 * time.Hour

	// orphanAge is the minimum age of a file without a document: longer than any
	// request takes between storing the file and the document.
	orphanAge = time.Hour
	// A share that exceeds both is unusual.
	unusualFiles   = 20
	unusualPercent = 10

	batch   = 500    // files looked up at once
	maxOnce = 10_000 // files removed by one sweep
)

// Errors that stop a sweep until an operator acts.
var (
	// ErrOtherStore: database and store have different identities.
	ErrOtherStore = errors.New("the file store is not the one that the database is bound to")
	// ErrUnbound: the store has no identity, and files without a document.
	ErrUnbound = errors.New("the file store has no identity, and has files without a document")
	// ErrUnusualShare: too large a share of the files would be removed.
	ErrUnusualShare = errors.New("an unusual share of the files would be removed")
)

// Ledger keeps the state of files in the database.
type Ledger interface {
	// StoreID returns the identity of the store that the database is bound to;
	// zero if it is bound to none.
	StoreID(ctx context.Context) (shipments.StoreID, error)
	// BindStore binds the database to a store unless it is bound already, and
	// returns the identity of the store that it is bound to.
	BindStore(ctx context.Context, id shipments.StoreID) (shipments.StoreID, error)
	// AdoptStore binds the database to a store, replacing any other.
	AdoptStore(ctx context.Context, id shipments.StoreID) error
	// Known reports which of these documents exist.
	Known(ctx context.Context, org shipments.OrgID, ids []shipments.DocumentID) (map[shipments.DocumentID]bool, error)
	// Quarantine adds the files of a store without a document to quarantine, and
	// removes those with one from it. It returns since when each file without a
	// document is in it.
	Quarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID, ids []shipments.DocumentID,
		now time.Time) (map[shipments.DocumentID]time.Time, error)
	// ExpireQuarantine removes files without a document from quarantine that were
	// added before a time, and returns them.
	ExpireQuarantine(ctx context.Context, org shipments.OrgID, store shipments.StoreID, ids []shipments.DocumentID,
		before time.Time) ([]shipments.DocumentID, error)
}

// Store is Files with an identity.
type Store interface {
	shipments.Files
	// Identity returns the store's identity; zero if it has none.
	Identity(ctx context.Context) (shipments.StoreID, error)
	// SetIdentity replaces the store's identity.
	SetIdentity(ctx context.Context, id shipments.StoreID) error
}

// Result is the result of a sweep.
type Result struct {
	Files       int // older than an hour
	Quarantined int // of them, without a document and not removed
	Removed     int
}

// Sweeper removes files without a document.
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

// Run sweeps every hour until ctx ends, first after an hour, and reports each sweep.
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

// Sweep quarantines files without a document, and removes those whose quarantine is
// over, unless they are an unusual share.
func (s *Sweeper) Sweep(ctx context.Context) (Result, error) {
	return s.sweep(ctx, func(files, due int) error {
		if due > unusualFiles && due*100 > files*unusualPercent {
			return fmt.Errorf("%w: %d of %d", ErrUnusualShare, due, files)
		}
		return nil
	})
}

// Purge is Sweep without the limit on the share.
func (s *Sweeper) Purge(ctx context.Context) (Result, error) {
	return s.sweep(ctx, func(int, int) error { return nil })
}

func (s *Sweeper) sweep(ctx context.Context, admit func(files, due int) error) (Result, error) {
	id, err := s.bind(ctx)
	if err != nil {
		return Result{}, err
	}
	now := s.now().Truncate(time.Millisecond) // the precision of the database
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
			return r, fmt.Errorf("remove files: %w", err) // the others are quarantined again
		}
	}
	return r, nil
}

// scan calls do with batches of the files of each organization that are older than
// an hour, and returns the number of files.
func (s *Sweeper) scan(ctx context.Context, do func(shipments.OrgID, []shipments.DocumentID) error) (files int,
	err error,
) {
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
