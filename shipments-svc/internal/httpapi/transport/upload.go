package transport

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// fileTooLargeError means that a file has more bytes than are accepted.
type fileTooLargeError struct{}

// Error implements error.
func (fileTooLargeError) Error() string {
	return fmt.Sprintf("the file may have at most %d bytes", shipments.MaxFile)
}

// content is the content of a file that is being received.
type content struct {
	bytes    []byte
	expected int64 // how many bytes of the body may be the file's; -1: unknown
}

// Write implements io.Writer.
func (c *content) Write(p []byte) (int, error) {
	if len(c.bytes)+len(p) > shipments.MaxFile {
		return 0, fileTooLargeError{}
	}
	if c.bytes == nil {
		c.bytes = make([]byte, 0, min(max(c.expected, 0), shipments.MaxFile))
	}
	c.bytes = append(c.bytes, p...)
	return len(p), nil
}

// upload returns the file with the name and the media type that the client
// declares. A file that is not accepted is a fault at the pointer.
func (c *content) upload(filename, declared, pointer string) (*shipments.Upload, []shipments.Fault, error) {
	u := &shipments.Upload{
		Filename: filename, Size: int64(len(c.bytes)), Content: bytes.NewReader(c.bytes), SHA256: sha256.Sum256(c.bytes),
	}
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

// base64Content decodes what is written to it. It never fails: what went wrong is in
// err, and the rest is swallowed.
type base64Content struct {
	content

	pending []byte // not yet a whole piece
	decoded [base64Piece / 4 * 3]byte
	padded  bool // the end was seen
	err     error
}

// errNotBase64 means that a text is not base64.
var errNotBase64 = errors.New("not base64")

// base64Piece is how many characters are decoded at once, a multiple of four.
const base64Piece = 16 << 10

// Write implements io.Writer.
func (b *base64Content) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		text := rest[:min(len(rest), base64Piece-len(b.pending))]
		if i := bytes.IndexAny(text, "\r\n"); i >= 0 { // some break it into lines
			b.pending = append(b.pending, text[:i]...)
			rest = rest[i+1:]
			continue
		}
		b.pending = append(b.pending, text...)
		if rest = rest[len(text):]; len(b.pending) == base64Piece {
			b.decode(base64.StdEncoding)
		}
	}
	return len(p), nil
}

// finish decodes what is left, which may lack its padding.
func (b *base64Content) finish() error {
	encoding := base64.StdEncoding
	if len(b.pending)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	b.decode(encoding)
	return b.err
}

func (b *base64Content) decode(encoding *base64.Encoding) {
	text := b.pending
	b.pending = b.pending[:0]
	if b.err != nil || len(text) == 0 {
		return
	}
	n, err := encoding.Decode(b.decoded[:], text)
	if err != nil || b.padded {
		b.err = errNotBase64
		return
	}
	b.padded = text[len(text)-1] == '='
	_, b.err = b.content.Write(b.decoded[:n])
}
