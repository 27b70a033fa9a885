package shipments

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// FileKey names a kept file: it is that of a document. Clients have no part in
// it.
type FileKey struct {
	Org      OrgID
	Document DocumentID
}

// OpenFile is a file that is open for reading.
type OpenFile interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// Files keeps the files of documents. Its errors are ErrNoFile,
// ErrUnavailable, the context's, or a fault of the program.
type Files interface {
	// Put keeps size bytes of content. When it returns nil they outlast a loss
	// of power; when it returns an error there is no such file, or all of it.
	Put(ctx context.Context, key FileKey, content io.Reader, size int64) error

	// Open returns a file, or ErrNoFile. The context is that of all reading.
	Open(ctx context.Context, key FileKey) (OpenFile, error)

	// Delete removes a file, if it is there.
	Delete(ctx context.Context, key FileKey) error

	// List yields the files that were put before a time, and ends with an
	// error if it cannot go on.
	List(ctx context.Context, before time.Time) iter.Seq2[FileKey, error]
}

// ErrNoFile means that there is no file under a key.
var ErrNoFile = errors.New("no such file")

// Document returns a document of a shipment with its mappings, or ErrNoDocument.
func (s *Service) Document(ctx context.Context, org OrgID, o DocumentOrder) (Document, error) {
	return s.repo.Document(ctx, org, o.ID, o.Document)
}

// StoredFile is the file of a document.
type StoredFile struct {
	Document
	// Open opens the file. The context is that of all reading.
	Open func(context.Context) (OpenFile, error)
}

// File returns the file of a document, or ErrNoDocument; also where the
// document was given by its pallets.
func (s *Service) File(ctx context.Context, org OrgID, o DocumentOrder) (StoredFile, error) {
	doc, err := s.Document(ctx, org, o)
	if err != nil {
		return StoredFile{}, err
	}
	if doc.Filename == "" {
		return StoredFile{}, ErrNoDocument
	}
	return StoredFile{doc, func(ctx context.Context) (OpenFile, error) { return s.files.Open(ctx, FileKey{org, doc.ID}) }},
		nil
}
