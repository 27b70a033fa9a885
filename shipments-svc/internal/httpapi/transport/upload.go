package transport

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

// content is the base64 of a file that is being received.
type content struct {
	bytes    []byte
	expected int64 // how many bytes of the body may be the file's; -1: unknown
}

// Write implements io.Writer.
func (c *content) Write(p []byte) (int, error) {
	if len(c.bytes)+len(p) > maxDocument {
		return 0, fileTooLargeError{}
	}
	if c.bytes == nil {
		c.bytes = make([]byte, 0, min(max(c.expected, 0), maxDocument))
	}
	c.bytes = append(c.bytes, p...)
	return len(p), nil
}

// errNotBase64 means that a text is not base64.
var errNotBase64 = errors.New("not base64")

// decode decodes content that was received as base64, in its place. The padding may be
// missing, and line breaks are ignored.
func (c *content) decode() error {
	text := bytes.TrimRight(c.bytes, "\r\n")
	encoding := base64.RawStdEncoding
	if bytes.HasSuffix(text, []byte("=")) {
		encoding = base64.StdEncoding
	}
	n, err := encoding.Decode(c.bytes, text)
	if err != nil {
		return errNotBase64
	}
	if c.bytes = c.bytes[:n]; n > shipments.MaxFile {
		return fileTooLargeError{}
	}
	return nil
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
