package shipments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
)

// Publish makes what was read of a document, or the error of reading it, part
// of its shipment: the document, its pallets, the checks and the status, all at
// once. A job publishes once, and a job of an earlier run never overwrites a later
// one: both give ErrLost. An error that is not an UnreadableError is returned, and
// nothing is published.
func (s *Service) Publish(ctx context.Context, j Job, read Reading, unread error) error {
	replaced := j.Document
	if unreadable, ok := errors.AsType[*UnreadableError](unread); ok && unreadable.Interrupted {
		replaced = DocumentID{} // its pallets are checked with the others
	}
	_, err := s.change(ctx, j.Org, ProcessDocument, Order{ID: j.Shipment}, allParts(replaced), func(r *Revision) error {
		i, ok := r.find(j.Document)
		if !ok || r.documents[i].Run != j.Run || !r.documents[i].Unfinished() { // or it was read since
			return ErrLost
		}
		doc, pallets, err := r.documents[i].finished(read, unread, r.Entry.At)
		if err != nil {
			return err
		}
		if fault := r.beyond(pallets, r.documents[i].PalletsExtracted); fault != "" {
			doc, pallets = doc.failed(Failure{Code: string(TooManyPallets), Detail: fault}), nil
		}
		if doc.Status == Failed {
			r.Entry.Action = FailDocument
		}
		r.Kept = r.documents[i].keeps(unread)
		if given := slices.Clone(doc.Given); len(given) > 0 && given[0].Keep != nil {
			if doc.Status == Processed && !r.Kept {
				r.Keep = given[0].Keep
			}
			given[0].Keep, doc.Given = nil, given
		}
		if r.Lease = j.Lease; r.Kept {
			r.documents[i], r.Document, r.Entry.Document = doc, &doc, doc.ID
		} else {
			r.put(doc, pallets)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrNotFound), errors.As(err, new(*TransitionError)):
		return ErrLost
	case errors.Is(err, limit.ErrShare), errors.Is(err, limit.ErrTotal): // no fault of the document
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	default:
		return err
	}
}

// keeps reports whether what was read of a document before stays when it could not be read again.
func (d Document) keeps(err error) bool {
	unreadable, ok := errors.AsType[*UnreadableError](err)
	read := d.PalletsExtracted > 0
	if d.Type != PackingList {
		read = d.Facts != nil
	}
	return ok && unreadable.Interrupted && read
}

// finished returns a document that was read, and its pallets, of one that keeps them none. Only a packing
// list has pallets, and only a packing list can fail: of any other, what could
// not be read is a remark. An error that is not the file's is returned.
func (d Document) finished(read Reading, err error, at time.Time) (Document, []Pallet, error) {
	var failure Failure
	if unreadable, ok := errors.AsType[*UnreadableError](err); ok {
		failure, read.Mappings = unreadable.Failure, unreadable.Mappings
	} else if err != nil {
		return Document{}, nil, err
	}
	if d.keeps(err) {
		d.Status, d.Failure, d.ProcessedAt = Processed, Failure{}, at
		earlier := func(r list.Remark) bool { return r.Code == failure.Code }
		d.Remarks = append(slices.DeleteFunc(slices.Clone(d.Remarks), earlier),
			list.Remark{Code: failure.Code, Text: failure.Detail + " What was read before stays."})
		return d, nil, nil
	}
	if !read.valid() {
		read, failure = Reading{}, cmp.Or(failure, Failure{"malformed", "The file could not be understood."})
	}
	d.Mappings = read.Mappings
	d.Status, d.Failure, d.ProcessedAt = Processed, Failure{}, at
	d.RowsRead, d.Declared = read.RowsRead, read.Declared
	d.Facts, d.Remarks = stated(read.Facts, read.Remarks)
	switch {
	case d.Type != PackingList:
		d.PalletsExtracted = 0 // of when it was taken for a packing list
		if failure != (Failure{}) {
			d.Remarks = append(slices.Clone(d.Remarks), list.Remark{Code: failure.Code, Text: failure.Detail})
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

// Process reads the document of a job and publishes its content. ErrLost means that the
// reading is obsolete. After any other error the document is unchanged, and a retry can
// succeed.
func (s *Service) Process(ctx context.Context, j Job, doc Document) error {
	if j.Attempt > MaxAttempts {
		return s.Publish(ctx, j, Reading{}, &UnreadableError{Interrupted: true, Failure: Failure{
			Code: "given_up", Detail: fmt.Sprintf("Reading was begun %d times and never came to an end.", MaxAttempts),
		}})
	}
	file, err := s.files.Open(ctx, FileKey{j.Org, doc.ID})
	if errors.Is(err, ErrNoFile) {
		return s.Publish(ctx, j, Reading{}, &UnreadableError{Interrupted: true, Failure: Failure{
			Code: "file_missing", Detail: "The stored file is missing. Delete the document and attach the file " +
				"again, or have an operator restore the file from a backup and reprocess the document.",
		}})
	}
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	read, unread := s.readContent(ctx, j.Org, doc, file)
	return s.Publish(ctx, j, read, unread)
}

// readContent reads the content of a document, a packing list once more if the
// organization has templates for its tables. What a person gave takes precedence.
func (s *Service) readContent(ctx context.Context, org OrgID, doc Document, content io.ReaderAt) (Reading, error) {
	read, err := s.reader.Read(ctx, doc.Type, doc.Kind, content, doc.Size, doc.Given)
	found := read.Mappings
	if unreadable, ok := errors.AsType[*UnreadableError](err); ok {
		found = unreadable.Mappings
	}
	var fingerprints []string
	for _, m := range found {
		if m.Fingerprint != "" && !slices.Contains(fingerprints, m.Fingerprint) {
			fingerprints = append(fingerprints, m.Fingerprint)
		}
	}
	if fingerprints == nil {
		return read, err
	}
	templates, failed := s.repo.Templates(ctx, org, fingerprints)
	if failed != nil {
		return Reading{}, failed
	}
	if len(templates) == 0 {
		return read, err
	}
	var given []Assignment
	for _, t := range templates {
		given = append(given, t.assignment())
	}
	return s.reader.Read(ctx, doc.Type, doc.Kind, content, doc.Size, append(given, doc.Given...))
}
