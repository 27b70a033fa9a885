package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

const (
	// smallText is how many bytes of a document's JSON, without the content of a
	// file, are kept in memory while it is received and read at once by any number
	// of requests. The rest is kept in a file until the request is admitted.
	smallText = 256 << 10
	// maxLarge is how many requests with more than that are read and processed at
	// once; maxLargeOf is how many of one organization. Each is in memory.
	maxLarge   = 4
	maxLargeOf = 2
	// maxFiles is how many files of more than smallText are stored at once, or read
	// for a dry run; maxFilesOf is how many of one organization. So those that were
	// admitted finish within their timeout.
	maxFiles   = 16
	maxFilesOf = 4
	// toAdmit is how long a request waits for admission. With the timeout of the method it
	// is less than the gateway waits for an answer (answer_within in its routes).
	toAdmit = 4 * time.Second
)

// errBusy means that a large request was not admitted in time.
var errBusy = errors.New("too many large requests are being processed")

// admission bounds how many large requests are processed at once.
type admission struct {
	max, maxOf int // in all, and of one organization

	mu      sync.Mutex
	total   int
	of      map[shipments.OrgID]int
	changed chan struct{} // closed when one has left
}

func newAdmission(most, mostOf int) *admission {
	return &admission{max: most, maxOf: mostOf, of: map[shipments.OrgID]int{}, changed: make(chan struct{})}
}

// enter waits for a place, which the request has until its context ends. Without
// one in time the error is errBusy.
func (a *admission) enter(r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), toAdmit)
	defer cancel()
	for org := callerOf(r).org; ; {
		entered, changed := a.try(org)
		if entered {
			context.AfterFunc(r.Context(), func() { a.leave(org) })
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errBusy
		}
	}
}

func (a *admission) try(org shipments.OrgID) (entered bool, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.total == a.max || a.of[org] == a.maxOf {
		return false, a.changed
	}
	a.total++
	a.of[org]++
	return true, nil
}

func (a *admission) leave(org shipments.OrgID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total--
	if a.of[org]--; a.of[org] == 0 {
		delete(a.of, org)
	}
	close(a.changed)
	a.changed = make(chan struct{})
}

// textSpool keeps a text that is being received: in memory, or in an unlinked file
// once it is large.
type textSpool struct {
	request *http.Request
	head    bytes.Buffer
	file    *os.File // nil: all is in head
	size    int64
}

// Write implements io.Writer.
func (s *textSpool) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	if s.size <= smallText {
		return s.head.Write(p)
	}
	if s.file == nil {
		var err error
		if s.file, err = unnamed(s.request); err != nil {
			return 0, err
		}
		if _, err := s.head.WriteTo(s.file); err != nil {
			return 0, noSpace(err)
		}
	}
	n, err := s.file.Write(p)
	return n, noSpace(err)
}

// text returns all that was written. A large text waits for admission.
func (s *textSpool) text(a *admission) ([]byte, error) {
	if s.file == nil {
		return s.head.Bytes(), nil
	}
	if err := a.enter(s.request); err != nil {
		return nil, err
	}
	text := make([]byte, s.size)
	if _, err := s.file.ReadAt(text, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, noSpace(err)
	}
	return text, s.request.Context().Err()
}
