package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Grace is the minimum age of a file that Sweep removes.
const Grace = 30 * 24 * time.Hour

// MarkedFor is how long Sweep has known of a file without a document before it removes the file.
const MarkedFor = 7 * 24 * time.Hour

// batch is the number of files that are looked up at once.
const batch = 500

// Unneeded marks those of an organization's files that have no document, unless none has one, and returns those that
// were marked before a time.
type Unneeded func(
	ctx context.Context, org shipments.OrgID, files []shipments.DocumentID, now, markedBefore time.Time,
) ([]shipments.DocumentID, error)

// Sweep removes the files without a document, and returns how many these were: those of requests
// that were interrupted between storing the file and the document, and of documents that were
// deleted while the store was unavailable.
//
// An emptied or swapped database, or one that was restored, lacks documents of stored files. So
// files are removed only when they are 30 days old and the database has lacked their documents for a week, and of
// organizations of which it has documents with files as old.
func Sweep(ctx context.Context, unneeded Unneeded, files shipments.Files, now time.Time) (removed int, err error) {
	batches := map[shipments.OrgID][]shipments.DocumentID{}
	sweep := func(org shipments.OrgID) error {
		gone, err := unneeded(ctx, org, batches[org], now, now.Add(-MarkedFor))
		if err != nil {
			return fmt.Errorf("look up files: %w", err)
		}
		for _, doc := range gone {
			if err := files.Delete(ctx, shipments.FileKey{Org: org, Document: doc}); err != nil {
				return fmt.Errorf("remove files: %w", err)
			}
			removed++
		}
		delete(batches, org)
		return nil
	}
	for key, err := range files.List(ctx, now.Add(-Grace)) {
		if err != nil {
			return removed, fmt.Errorf("list files: %w", err)
		}
		if batches[key.Org] = append(batches[key.Org], key.Document); len(batches[key.Org]) == batch {
			if err := sweep(key.Org); err != nil {
				return removed, err
			}
		}
	}
	for org := range batches {
		if err := sweep(org); err != nil {
			return removed, err
		}
	}
	return removed, nil
}
