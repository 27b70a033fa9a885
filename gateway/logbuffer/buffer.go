package logbuffer

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// flushSize is how many bytes are flushed without waiting for more.
	flushSize = 32 << 10
	// capacity bounds the pending bytes.
	capacity = 1 << 20
	// syncTimeout is how long a write without gathering waits for out. It is longer than a busy machine keeps a thread waiting
	// for a processor: after it, the line that says why the process ends would be lost.
	syncTimeout = 100 * time.Millisecond
	// closeTimeout bounds Destruct.
	closeTimeout = time.Second
)

var errBlocked = errors.New("standard error is blocked: lines were lost")

// buffer gathers lines and writes them to out when its timer fires.
type buffer struct {
	out     io.Writer
	dropped func() // called for each dropped line

	mu      sync.Mutex
	pending []byte
	written chan struct{} // closed when pending is written
	spare   []byte        // an empty slice for the next pending lines
	lost    int           // lines dropped since pending filled up
	writing bool          // out is being written to
	again   bool          // the timer fired meanwhile
	blocked bool          // a write waited for out in vain
	closed  bool
	timer   *time.Timer // of the next flush
}

func newBuffer(out io.Writer, dropped func()) *buffer {
	b := &buffer{out: out, dropped: dropped, written: make(chan struct{})}
	b.timer = time.AfterFunc(time.Hour, b.flush)
	return b
}

// write buffers one line for at most gather, or drops it. It returns no error, because the caller cannot handle one.
func (b *buffer) write(line []byte, gather time.Duration) (int, error) {
	if written, wait := b.append(line, gather); wait {
		b.waitWritten(written)
	}
	return len(line), nil
}

// append buffers line. It returns a channel that is closed when the line is written, and whether to wait for it.
func (b *buffer) append(line []byte, gather time.Duration) (written <-chan struct{}, wait bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := len(b.pending)
	switch {
	case b.closed && !b.writing && before == 0:
		_, _ = b.out.Write(line)
		return nil, false
	case b.closed: // out blocks
		b.dropped()
		return nil, false
	case before+len(line) > capacity:
		b.lost++
		b.dropped()
		return nil, false
	}
	b.pending = append(b.pending, line...)
	switch {
	case gather == 0, before < flushSize && len(b.pending) >= flushSize:
		b.timer.Reset(0)
	case before == 0:
		b.timer.Reset(gather)
	}
	return b.written, gather == 0 && !b.blocked
}

// waitWritten returns when the line is written, or out blocks. It does not give up before out has the line: the process
// may end with this line, and the goroutine that writes it have to wait for a processor.
func (b *buffer) waitWritten(written <-chan struct{}) {
	timeout := time.NewTicker(syncTimeout)
	defer timeout.Stop()
	for {
		select {
		case <-written:
			return
		case <-timeout.C:
			b.mu.Lock()
			blocked := b.writing
			b.blocked = blocked // until a write ends
			b.mu.Unlock()
			if blocked {
				return
			}
		}
	}
}

// Destruct writes what is pending, for at most closeTimeout. It implements caddy.Destructor.
func (b *buffer) Destruct() error {
	b.mu.Lock()
	b.closed = true
	written := b.written
	b.timer.Reset(0)
	b.mu.Unlock()
	select {
	case <-written:
		return nil
	case <-time.After(closeTimeout):
		return errBlocked
	}
}

// flush writes the pending lines. A failed write is not retried, because part of it may be out.
func (b *buffer) flush() {
	b.mu.Lock()
	if b.writing {
		b.again = true
		b.mu.Unlock()
		return
	}
	lines, written, lost := b.pending, b.written, b.lost
	b.pending, b.written, b.lost = b.spare, make(chan struct{}), 0
	b.spare, b.writing = nil, true
	b.mu.Unlock()

	if lost > 0 {
		lines = fmt.Appendf(lines, `{"level":"error","ts":%.6f,"logger":"log","msg":"log lines were dropped: standard error was blocked","lines":%d}`+"\n",
			float64(time.Now().UnixMicro())/1e6, lost)
	}
	if len(lines) > 0 {
		_, _ = b.out.Write(lines)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	close(written)
	b.blocked, b.writing = false, false
	if b.again {
		b.again = false
		b.timer.Reset(0)
	}
	if cap(lines) <= 4*flushSize { // do not keep what an outage of out made it grow to
		b.spare = lines[:0]
	}
}
