package transport

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// fileTooLargeError means that a file has more bytes than are accepted.
type fileTooLargeError struct{}

// Error implements error.
func (fileTooLargeError) Error() string {
	return fmt.Sprintf("the file may have at most %d bytes", shipments.MaxFile)
}

// newUpload returns the file with the name and the media type that the client
// declares. A file that is not accepted is a fault at the pointer.
func newUpload(
	content io.ReaderAt, size int64, filename, declared, pointer string,
) (*shipments.Upload, []shipments.Fault, error) {
	u := &shipments.Upload{Filename: filename, Size: size, Content: content}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(content, 0, size)); err != nil {
		return u, nil, err
	}
	sum.Sum(u.SHA256[:0])
	if u.Size == 0 {
		return u, nil, nil // Attachment.Faults reports it
	}
	kind, err := sniff.File(u.Content, u.Size)
	if err == nil {
		err = kind.Agrees(filename, declared)
	}
	if refused, ok := errors.AsType[*sniff.RefusedError](err); ok {
		return u, []shipments.Fault{{Code: shipments.UnsupportedDocument, Pointer: pointer, Detail: refused.Reason}}, nil
	}
	u.ContentType, u.Kind = kind.ContentType, kind.Kind
	return u, nil, err
}
