package shipments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Publish makes what was read of a document, or the error of reading it, part
// of its shipment: the document, its pallets, the checks and the status, all at
// once. A job publishes once, and a job of an earlier run never overwrites a later
// one: both give ErrLost. An error that is not an UnreadableError is returned, and
// nothing is published.
func (s *Service) Publish(ctx context.Context, j Job, read Reading, unread error) error {
	_, err := repeat(func() (struct{}, error) { return struct{}{}, s.tryPublish(ctx, j, read, unread) })
	return err
}

func (s *Service) tryPublish(ctx context.Context, j Job, read Reading, unread error) error {
	d, doc, err := s.read(ctx, j)
	if err != nil {
		return err
	}
	doc, pallets, err := doc.finished(read, unread, instant(s.now()))
	if err != nil {
		return err
	}
	if total := len(withoutPallets(d.Pallets, doc.ID)) + len(pallets); total > MaxPallets {
		doc, pallets = doc.failed(Failure{
			Code: string(TooManyPallets), Detail: fmt.Sprintf("A shipment has at most %d pallets; with these it would have %d.",
				MaxPallets, total),
		}), nil
	}
	action := ProcessDocument
	if doc.Status == Failed {
		action = FailDocument
	}
	pallets = sourced(pallets, doc.ID)
	r := s.revision(d, action, Order{}, doc, pallets)
	r.Changed, r.Pallets, r.Lease = &doc, pallets, j.Lease
	return s.checkAndRevise(ctx, j.Org, &r)
}

// read returns the shipment and document of a job, or ErrLost.
func (s *Service) read(ctx context.Context, j Job) (Detail, Document, error) {
	d, err := s.repo.Get(ctx, j.Org, j.Shipment)
	if errors.Is(err, ErrNotFound) {
		return Detail{}, Document{}, ErrLost
	}
	if err != nil {
		return Detail{}, Document{}, err
	}
	i := slices.IndexFunc(d.Documents, func(doc Document) bool { return doc.ID == j.Document })
	if i < 0 || d.Documents[i].Run != j.Run || !d.Documents[i].Unfinished() || d.Status != Processing {
		return Detail{}, Document{}, ErrLost
	}
	return d, d.Documents[i], nil
}

// finished returns a document that was read, and its pallets. Only a packing
// list has pallets, and only a packing list can fail: of any other, what could
// not be read is a remark. An error that is not the file's is returned.
func (d Document) finished(read Reading, err error, at time.Time) (Document, []Pallet, error) {
	var failure Failure
	if unreadable, ok := errors.AsType[*UnreadableError](err); ok {
		failure, read.Mappings = unreadable.Failure, unreadable.Mappings
	} else if err != nil {
		return Document{}, nil, err
	}
	if !read.valid() {
		read, failure = Reading{}, cmp.Or(failure, malformed)
	}
	d.Mappings = read.Mappings
	d.Status, d.Failure, d.ProcessedAt = Processed, Failure{}, at
	d.RowsRead, d.Declared, d.Facts, d.Remarks = read.RowsRead, read.Declared, read.Facts, read.Remarks
	switch {
	case d.Type != PackingList:
		if failure != (Failure{}) {
			d.Remarks = append(slices.Clone(d.Remarks), Remark{Code: failure.Code, Text: failure.Detail})
		}
		return d, nil, nil
	case failure != (Failure{}):
		return d.failed(failure), nil, nil
	default:
		d.PalletsExtracted = len(read.Pallets)
		return d, read.Pallets, nil
	}
}

// failed returns a document of which nothing is part of the shipment.
func (d Document) failed(why Failure) Document {
	d.Status, d.Failure, d.PalletsExtracted = Failed, why, 0
	return d
}
