// Package sweeper removes stored files without a document: of requests that were
// interrupted between storing the file and the document, and of documents that were
// deleted while the store was unavailable.
//
// A restored, emptied or swapped database lacks documents of stored files.
// Guarantees: files are removed only when they are 30 days old, of organizations of which
// the database has documents with files, and never an unusual share.
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
	// Grace is the minimum age of a file that is removed.
	Grace = 30 * 24 * time.Hour

	// A share that exceeds both is unusual.
	unusualFiles   = 20
	unusualPercent = 10

	batch   = 500    // files looked up at once
	maxOnce = 10_000 // files removed by one sweep
)

// ErrUnusualShare stops a sweep until an operator acts: too large a share of the files would
// be removed.
var ErrUnusualShare = errors.New("an unusual share of the files has no document")

// Ledger knows the documents of the database.
type Ledger interface {
	// Known reports which of these documents exist.
	Known(ctx context.Context, org shipments.OrgID, ids []shipments.DocumentID) (map[shipments.DocumentID]bool, error)
}

// Result is the result of a sweep.
type Result struct {
	Files   int // older than Grace
	Orphans int // of them, without a document
	Foreign int // of them, of organizations without any: probably those of another database
	Removed int
}

// Sweeper removes files without a document.
type Sweeper struct {
	ledger Ledger
	files  shipments.Files
	now    func() time.Time
}

// New returns a Sweeper.
func New(ledger Ledger, files shipments.Files, now func() time.Time) *Sweeper {
	return &Sweeper{ledger: ledger, files: files, now: now}
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

// Sweep removes the files without a document, unless they are an unusual share.
func (s *Sweeper) Sweep(ctx context.Context) (Result, error) { return s.sweep(ctx, false) }

// Purge is Sweep without the limit on the share.
func (s *Sweeper) Purge(ctx context.Context) (Result, error) { return s.sweep(ctx, true) }

// Status counts files and removes none.
func (s *Sweeper) Status(ctx context.Context) (Result, error) {
	r, _, err := s.find(ctx)
	return r, err
}

func (s *Sweeper) sweep(ctx context.Context, anyShare bool) (Result, error) {
	r, orphans, err := s.find(ctx)
	if err != nil {
		return r, err
	}
	if !anyShare && r.Orphans > unusualFiles && r.Orphans*100 > r.Files*unusualPercent {
		return r, fmt.Errorf("%w: %d of %d", ErrUnusualShare, r.Orphans, r.Files)
	}
	for _, key := range orphans {
		if err := s.files.Delete(ctx, key); err != nil {
			return r, fmt.Errorf("remove files: %w", err)
		}
		r.Removed++
	}
	return r, nil
}

// find counts the files that are older than Grace, and returns those without a document,
// up to the maximum.
func (s *Sweeper) find(ctx context.Context) (r Result, orphans []shipments.FileKey, err error) {
	batches := map[shipments.OrgID][]shipments.DocumentID{}
	lookUp := func(org shipments.OrgID) error {
		known, err := s.ledger.Known(ctx, org, batches[org])
		if err != nil {
			return fmt.Errorf("look up files: %w", err)
		}
		for _, doc := range batches[org] {
			switch {
			case known[doc]:
			case len(known) == 0:
				r.Foreign++
			default:
				if r.Orphans++; r.Orphans <= maxOnce {
					orphans = append(orphans, shipments.FileKey{Org: org, Document: doc})
				}
			}
		}
		delete(batches, org)
		return nil
	}
	for key, err := range s.files.List(ctx, s.now().Add(-Grace)) {
		if err != nil {
			return r, nil, fmt.Errorf("list files: %w", err)
		}
		r.Files++
		if batches[key.Org] = append(batches[key.Org], key.Document); len(batches[key.Org]) == batch {
			if err := lookUp(key.Org); err != nil {
				return r, nil, err
			}
		}
	}
	for org := range batches {
		if err := lookUp(org); err != nil {
			return r, nil, err
		}
	}
	return r, orphans, nil
}
