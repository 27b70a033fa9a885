package upstream

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// trackedBody is the body of a response. Its request counts as in flight until it is closed.
type trackedBody struct {
	io.ReadCloser

	onClose func() // called once, by Close
	onError func() // called when the body is truncated
	closed  atomic.Bool
}

// Read implements io.Reader.
func (b *trackedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.onError()
	}
	return n, err
}

// Close implements io.Closer.
func (b *trackedBody) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		b.onClose()
	}
	return b.ReadCloser.Close()
}

// idleTimeoutBody adds to a body of net/http's transport the idle timeout that it lacks: a read that takes longer
// than bodyIdle cancels the request.
type idleTimeoutBody struct {
	io.ReadCloser

	cancel context.CancelFunc
	timer  *time.Timer
}

func newIdleTimeoutBody(from io.ReadCloser, cancel context.CancelFunc) *idleTimeoutBody {
	timer := time.AfterFunc(bodyIdle, cancel)
	timer.Stop()
	return &idleTimeoutBody{ReadCloser: from, cancel: cancel, timer: timer}
}

// Read implements io.Reader.
func (b *idleTimeoutBody) Read(p []byte) (int, error) {
	b.timer.Reset(bodyIdle)
	defer b.timer.Stop()
	return b.ReadCloser.Read(p)
}

// Close implements io.Closer.
func (b *idleTimeoutBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
