package upstream

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// body is the body of a response. Until it is closed its request counts as in flight.
type body struct {
	io.ReadCloser

	release func() // called once, by Close
	broken  func() // called when the body ends before it is whole
	closed  atomic.Bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.broken()
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		b.release()
	}
	return b.ReadCloser.Close()
}

// watched is a body of net/http's transport, which has no idle timeout of its own: a read that takes longer than
// bodyIdle cancels the request.
type watched struct {
	io.ReadCloser

	cancel context.CancelFunc
	timer  *time.Timer
}

func newWatched(from io.ReadCloser, cancel context.CancelFunc) *watched {
	timer := time.AfterFunc(bodyIdle, cancel)
	timer.Stop()
	return &watched{ReadCloser: from, cancel: cancel, timer: timer}
}

// Read implements io.Reader.
func (b *watched) Read(p []byte) (int, error) {
	b.timer.Reset(bodyIdle)
	defer b.timer.Stop()
	return b.ReadCloser.Read(p)
}

// Close implements io.Closer.
func (b *watched) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
