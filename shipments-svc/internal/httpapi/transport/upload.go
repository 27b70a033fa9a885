package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"os"

	"github.com/quayside/quayside/shipments-svc/internal/documents/sniff"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// fileTooLargeError means that a file has more bytes than are accepted.
type fileTooLargeError struct{}

// Error implements error.
func (fileTooLargeError) Error() string {
	return fmt.Sprintf("the file may have at most %d bytes", shipments.MaxFile)
}

// spool is a temporary file for an upload. It is unlinked at once, so nothing is
// left of it after the request or after the program was killed.
type spool struct {
	file *os.File
	sum  hash.Hash
	size int64
}

// newSpool returns an empty spool for a request.
func newSpool(r *http.Request) (*spool, error) {
	f, err := unnamed(r)
	return &spool{file: f, sum: sha256.New()}, err
}

// unnamed returns a file without a name, which is closed with the request.
func unnamed(r *http.Request) (*os.File, error) {
	f, err := os.CreateTemp("", "quayside-upload-")
	if err != nil {
		return nil, noSpace(err)
	}
	context.AfterFunc(r.Context(), func() { _ = f.Close() })
	return f, noSpace(os.Remove(f.Name()))
}

// Write implements io.Writer.
func (s *spool) Write(p []byte) (int, error) {
	if s.size += int64(len(p)); s.size > shipments.MaxFile {
		return 0, fileTooLargeError{}
	}
	_, _ = s.sum.Write(p) // a hash.Hash never fails
	n, err := s.file.Write(p)
	return n, noSpace(err)
}

// upload returns the file with the name and the media type that the client
// declares. A file that is not accepted is a fault at the pointer.
func (s *spool) upload(filename, declared, pointer string) (*shipments.Upload, []shipments.Fault, error) {
	u := &shipments.Upload{Filename: filename, Size: s.size, Content: s.file}
	s.sum.Sum(u.SHA256[:0])
	if s.size == 0 {
		return u, nil, nil // Attachment.Faults reports it
	}
	kind, err := sniff.File(s.file, s.size)
	if err == nil {
		err = kind.Agrees(filename, declared)
	}
	if refused, ok := errors.AsType[*sniff.RefusedError](err); ok {
		return u, []shipments.Fault{{Code: shipments.UnsupportedDocument, Pointer: pointer, Detail: refused.Reason}}, nil
	}
	u.ContentType, u.Kind = kind.ContentType, kind.Kind
	return u, nil, noSpace(err)
}

// noSpace is an error of this machine's disk: nothing is wrong with the
// request.
func noSpace(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", shipments.ErrUnavailable, err)
}

// base64Spool decodes what is written to it into a spool, which it opens with
// the first byte. It never fails: what went wrong is in err, and the rest is
// swallowed.
type base64Spool struct {
	*spool

	request *http.Request
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
func (b *base64Spool) Write(p []byte) (int, error) {
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

// finish decodes what is left, which may lack its padding. Without an error
// there is a spool, if an empty one.
func (b *base64Spool) finish() error {
	encoding := base64.StdEncoding
	if len(b.pending)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	b.decode(encoding)
	return b.err
}

func (b *base64Spool) decode(encoding *base64.Encoding) {
	text := b.pending
	b.pending = b.pending[:0]
	if b.err == nil && b.spool == nil {
		b.spool, b.err = newSpool(b.request)
	}
	if b.err != nil || len(text) == 0 {
		return
	}
	n, err := encoding.Decode(b.decoded[:], text)
	if err != nil || b.padded {
		b.err = errNotBase64
		return
	}
	b.padded = text[len(text)-1] == '='
	_, b.err = b.spool.Write(b.decoded[:n])
}
