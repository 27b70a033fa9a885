package tokengate

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// A body has the time that the server gives every body, and another second for each bodyPace that came of it, up to
// mostBodyTime: a large document may come over a slow line, and who sends a byte now and then is cut off. The
// services give a body no longer.
const (
	bodyPace     = 64 << 10 // bytes
	mostBodyTime = time.Minute
)

// body is a request's body as the handlers behind the gate get it.
//
// Close leaves it to net/http. A proxy closes a body that breaks, maybe in the moment in which net/http reads what is
// left of it, which it does before an answer. Then net/http takes it for read to its end, and waits for another
// request where the rest of the body may still come.
type body struct {
	from    io.Reader
	control *http.ResponseController
	server  *http.Server
	began   time.Time

	mu    sync.Mutex
	bytes int64
	whole bool // read to its end
	late  bool // what is left is no longer of interest: its time is set
}

// takeBody puts a body in the place of r's and returns it, or nil when r has none or as much time as it likes.
func takeBody(w http.ResponseWriter, r *http.Request, began time.Time) *body {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || server.ReadTimeout <= 0 || r.ContentLength == 0 {
		return nil
	}
	b := &body{from: r.Body, control: http.NewResponseController(w), server: server, began: began}
	r.Body = b
	return b
}

// Read implements io.Reader. Once the answer has begun the rest is net/http's alone: it aborts a read that it finds
// under way at the end of a request, and then waits for that rest without any limit.
func (b *body) Read(p []byte) (int, error) {
	if b.isLate() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.bytes / bodyPace
	b.bytes += int64(n)
	switch {
	case b.late:
	case errors.Is(err, io.EOF):
		b.whole = true
	case b.bytes/bodyPace > before:
		b.extend()
	}
	return n, err
}

func (b *body) isLate() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.late
}

// extend gives the body the time that it has earned, and the answer after that what every answer has.
func (b *body) extend() {
	most := max(b.server.ReadTimeout, mostBodyTime)
	until := b.began.Add(min(b.server.ReadTimeout+time.Duration(b.bytes/bodyPace)*time.Second, most))
	_ = b.control.SetReadDeadline(until)
	if b.server.WriteTimeout > 0 {
		_ = b.control.SetWriteDeadline(until.Add(b.server.WriteTimeout))
	}
}

// Close implements io.Closer.
func (*body) Close() error { return nil }

// answered says that an answer begins. What is left of the body then has lingerTime to come, because net/http sends
// the answer only after it.
func (b *body) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.whole && !b.late {
		b.late = true
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTime))
	}
}

// Interface guard
var _ io.ReadCloser = (*body)(nil)
