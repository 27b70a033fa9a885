package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"
)

// An exchange is a request without a body and its response, one after the other on one connection. net/http's
// transport gives each connection two goroutines, so that a response can come while a body is still being sent, and
// each request goes through both. Without a body that is a third of what forwarding costs, so exchanges are made in
// the goroutine of the request. What is written and read is net/http's all the same: only [http.Request.Write] and
// [http.ReadResponse] know what HTTP is.

// errStale says that a connection was closed while it was idle, or before its next response began. The request may be
// sent once more if it is repeatable.
var errStale = errors.New("the connection was closed while it was idle")

// exchange sends r to a and returns the response, which begins within the time given. With fresh, no idle connection
// is used. An error is errStale only when a connection was used before.
func (a *address) exchange(r *http.Request, within time.Duration, fresh bool, dial dialer) (*http.Response, error) {
	w, err := a.wires.take(r.Context(), fresh, dial, a.hostPort, within)
	if err != nil {
		return nil, err
	}
	response, err := a.wires.exchange(w, r)
	if err == nil {
		return response, nil
	}
	_ = w.Close()
	if gone := r.Context().Err(); gone != nil {
		return nil, gone
	}
	return nil, err
}

// exchange sends r on w, which cannot be used again if that fails.
func (p *pool) exchange(w *wire, r *http.Request) (*http.Response, error) {
	stop := context.AfterFunc(r.Context(), func() { w.abort() })
	response, err := w.roundTrip(r)
	if err == nil && (response.ContentLength < 0 || int64(w.reader.Buffered()) < response.ContentLength) {
		w.head, w.idle = math.MaxInt64, bodyIdle // the head is over
		err = w.SetDeadline(time.Time{})
	}
	if err == nil {
		err = r.Context().Err() // its deadline may have been overwritten
	}
	if err != nil {
		stop()
		return nil, err
	}
	response.Body = &exchanged{ReadCloser: response.Body, pool: p, wire: w, stop: stop, last: response.Close}
	return response, nil
}

// roundTrip writes r and reads the head of its response.
func (w *wire) roundTrip(r *http.Request) (*http.Response, error) {
	w.head, w.idle = maxHead, 0
	err := r.Write(w.writer)
	if err == nil {
		err = w.writer.Flush()
	}
	if err == nil {
		_, err = w.reader.Peek(1)
	}
	if err != nil {
		if !w.used || isTimeout(err) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", errStale, err)
	}
	for interim := 0; ; interim++ {
		response, err := http.ReadResponse(w.reader, r)
		if err != nil {
			return nil, err
		}
		if !isInterim(response.StatusCode) {
			return response, checkStatus(response.StatusCode)
		}
		if interim == maxInterim {
			return nil, errInterim
		}
	}
}

// exchanged is the body of a response. Read to its end it gives the connection back.
type exchanged struct {
	io.ReadCloser

	pool *pool
	wire *wire
	stop func() bool // ends waiting for the client to leave; false: it has left
	last bool        // the service ends the connection
	done bool
}

// Read implements io.Reader.
func (b *exchanged) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end(errors.Is(err, io.EOF))
	}
	return n, err
}

// Close implements io.Closer.
func (b *exchanged) Close() error {
	b.end(b.ReadCloser == http.NoBody)
	return nil
}

func (b *exchanged) end(whole bool) {
	if b.done {
		return
	}
	b.done = true
	if stays := b.stop(); whole && stays && !b.last && b.wire.reader.Buffered() == 0 {
		b.pool.put(b.wire)
		return
	}
	_ = b.wire.Close()
}
