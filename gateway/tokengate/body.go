package tokengate

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// How long, without a pause of lingerPause, and for how many bytes a body is read on after the gate has answered
// without it.
const (
	lingerTime  = 5 * time.Second
	lingerPause = time.Second
	lingerBytes = 32 << 20
)

// body is a request's body as the handlers behind the gate get it. Caddy's read_body and read_body_idle bound the
// time that it may take; once a response has begun, the rest of it has lingerTime.
//
// Close leaves the body to net/http. A proxy closes a body that breaks, maybe in the moment in which net/http reads
// what is left of it, which it does before it sends a response. net/http would then take the body for read to its
// end, and wait for another request where the rest of the body may still come.
type body struct {
	from    io.Reader
	control *http.ResponseController

	mu            sync.Mutex
	whole         bool // read to its end
	responseBegun bool // a response has begun: the deadline is set
}

// takeBody puts a body in the place of r's and returns it, or nil when r has none.
func takeBody(w http.ResponseWriter, r *http.Request) *body {
	if r.ContentLength == 0 {
		return nil
	}
	b := &body{from: r.Body, control: http.NewResponseController(w)}
	r.Body = b
	return b
}

// Read implements io.Reader. Once a response has begun, the rest is net/http's alone: it aborts a read that it finds
// in flight at the end of a request, and then waits for that rest without any limit.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	responseBegun := b.responseBegun
	b.mu.Unlock()
	if responseBegun {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.from.Read(p)
	if errors.Is(err, io.EOF) {
		b.mu.Lock()
		b.whole = true
		b.mu.Unlock()
	}
	return n, err
}

// Close implements io.Closer.
func (*body) Close() error { return nil }

// responseBegins is called when a response begins. The rest of the body must then arrive within lingerTime, because
// net/http sends the response only after it.
func (b *body) responseBegins() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.whole && !b.responseBegun {
		b.responseBegun = true
		_ = b.control.SetReadDeadline(time.Now().Add(lingerTime))
	}
}

// linger sends the response and then reads what the client is still writing. Without it the connection would be closed
// over unread data, which TCP answers with a reset, and the client might never see why it was refused. net/http
// lingers by itself, but only while the body is not wrapped.
//
// A client that waits for 100 Continue has nothing under way.
func (b *body) linger(r *http.Request) {
	if b == nil || r.Header.Get("Expect") != "" || b.control.Flush() != nil {
		return
	}
	buffer, end := make([]byte, 16<<10), time.Now().Add(lingerTime)
	for left := lingerBytes; left > 0 && time.Now().Before(end); {
		if b.control.SetReadDeadline(time.Now().Add(lingerPause)) != nil {
			return
		}
		n, err := b.from.Read(buffer)
		if left -= n; err != nil {
			return
		}
	}
}
