package shipments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Process reads the document of a job and publishes its content; while the database
// is unavailable it keeps the reading, until ctx ends. ErrLost means that the reading
// is obsolete. After any other error the document is unchanged, and a retry can
// succeed.
func (s *Service) Process(ctx context.Context, j Job) error {
	doc, err := s.read(ctx, j)
	if err != nil {
		return err
	}
	if j.Attempt > MaxAttempts {
		return s.Publish(ctx, j, Reading{}, &UnreadableError{Failure: Failure{
			Code: "given_up", Detail: fmt.Sprintf("Reading was begun %d times and never came to an end.", MaxAttempts),
		}})
	}
	read, unread := s.readFile(ctx, FileKey{j.Org, j.Document}, doc)
	if unread != nil && !errors.As(unread, new(*UnreadableError)) {
		return unread
	}
	for {
		if err := s.Publish(ctx, j, read, unread); !errors.Is(err, ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(publishRetry):
		}
	}
}

// publishRetry is the interval at which a finished reading is published again while
// the database is unavailable.
const publishRetry = time.Second

// readFile reads the stored file of a document.
func (s *Service) readFile(ctx context.Context, key FileKey, doc Document) (read Reading, err error) {
	file, err := s.files.Open(ctx, key)
	if errors.Is(err, ErrNoFile) {
		return Reading{}, &UnreadableError{Failure: Failure{
			Code: "file_missing", Detail: "The stored file is missing. Delete the document and attach the file again, " +
				"or have an operator restore the file from a backup and reprocess the document.",
		}}
	}
	if err != nil {
		return Reading{}, fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	return s.readContent(ctx, key.Org, doc, file)
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
