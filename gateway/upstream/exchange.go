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

// An exchange is a request without a body and its answer, one after the other on one connection. net/http's
// transport gives each connection two goroutines, so that an answer can come while a body is still being sent, and
// each request goes through both. Without a body that is a third of what forwarding costs, so exchanges are made in
// the goroutine of the request. What is written and read is net/http's all the same: only [http.Request.Write] and
// [http.ReadResponse] know what HTTP is.
//
// Only what is repeatable is exchanged: when a connection that was used before turns out to be closed, the request
// goes out again on another.

const (
	// maxHead bounds the head of an answer, in bytes.
	maxHead = 1 << 20
	// maxInterim is how many 1xx answers may come before the one that counts.
	maxInterim = 5
)

// errStale says that a connection was closed, or spoiled, while nobody used it.
var errStale = errors.New("connection of no use any more")

// exchange sends r, which is repeatable, to a, and returns the answer, which begins within the time given.
func (a *address) exchange(r *http.Request, within time.Duration, dial dialer) (*http.Response, error) {
	for {
		w, err := a.wires.take(r.Context(), dial, a.hostPort)
		if err != nil {
			return nil, err
		}
		answer, err := a.wires.exchange(w, r, within)
		if err == nil {
			return answer, nil
		}
		_ = w.Close()
		if gone := r.Context().Err(); gone != nil {
			return nil, gone
		}
		if !errors.Is(err, errStale) {
			return nil, err
		}
	}
}

// exchange sends r on w, which is of no use any more if that fails.
func (p *pool) exchange(w *wire, r *http.Request, within time.Duration) (*http.Response, error) {
	if err := w.SetDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	if w.used && !w.isQuiet() {
		return nil, errStale
	}
	stay := context.AfterFunc(r.Context(), func() { _ = w.SetDeadline(time.Unix(1, 0)) })
	answer, err := w.ask(r)
	if err == nil && (answer.ContentLength < 0 || int64(w.reader.Buffered()) < answer.ContentLength) {
		w.head = math.MaxInt64 // it is over
		err = w.SetDeadline(time.Time{})
	}
	if err == nil {
		err = r.Context().Err() // that deadline may have been its
	}
	if err != nil {
		stay()
		return nil, err
	}
	answer.Body = &exchanged{ReadCloser: answer.Body, pool: p, wire: w, stay: stay, last: answer.Close}
	return answer, nil
}

// ask writes r and reads the head of its answer.
func (w *wire) ask(r *http.Request) (*http.Response, error) {
	w.head = maxHead
	err := r.Write(w.writer)
	if err == nil {
		err = w.writer.Flush()
	}
	if err == nil {
		_, err = w.reader.Peek(1)
	}
	if err != nil {
		if !w.used || isLate(err) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", errStale, err)
	}
	for range maxInterim {
		answer, err := http.ReadResponse(w.reader, r)
		switch {
		case err != nil:
			return nil, err
		case answer.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the service changed the protocol without being asked")
		case answer.StatusCode >= http.StatusOK:
			return answer, nil
		}
	}
	return nil, errors.New("too many 1xx answers")
}

// exchanged is the body of an answer. Read to its end it gives the connection back.
type exchanged struct {
	io.ReadCloser

	pool *pool
	wire *wire
	stay func() bool // ends waiting for the client to leave; false: it has left
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
	if stays := b.stay(); whole && stays && !b.last && b.wire.reader.Buffered() == 0 {
		b.pool.put(b.wire)
		return
	}
	_ = b.wire.Close()
}
