package shipments

import (
	"context"
	"errors"
	"fmt"
)

// Process reads the document of a job and publishes its content. ErrLost
// means that the reading is obsolete. After any other error the document is
// unchanged, and a retry can succeed.
func (s *Service) Process(ctx context.Context, j Job) error {
	_, doc, err := s.read(ctx, j)
	if err != nil {
		return err
	}
	if j.Attempt > MaxAttempts {
		return s.Publish(ctx, j, Reading{}, &UnreadableError{Failure: Failure{
			Code: "given_up", Detail: fmt.Sprintf("Reading was begun %d times and never came to an end.", MaxAttempts),
		}})
	}
	read, err := s.readFile(ctx, FileKey{j.Org, j.Document}, doc)
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Publish(ctx, j, read, err)
}

// readFile reads the stored file of a document.
func (s *Service) readFile(ctx context.Context, key FileKey, doc Document) (read Reading, err error) {
	file, err := s.files.Open(ctx, key)
	if errors.Is(err, ErrNoFile) {
		return Reading{}, &UnreadableError{Failure: Failure{Code: "file_missing", Detail: "The stored file is missing; attach it again."}}
	}
	if err != nil {
		return Reading{}, fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written to it
	return s.reader.Read(ctx, doc.Type, doc.Kind, file, doc.Size, nil)
}
