// Package logging writes log lines without blocking the program.
//
// Guarantees: Write never waits for the output, such as a pipe whose reader
// stopped; lines are written immediately and in order while the output accepts
// them; at most 1 MiB is buffered, and further lines are dropped, counted, and
// reported in the log by their number.
package logging

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// capacity is the size of the buffer in bytes: some thousand lines.
	capacity = 1 << 20
	// kept is the largest buffer that is reused.
	kept = 64 << 10
	// closeTimeout bounds Close.
	closeTimeout = time.Second
)

// Buffer is an io.Writer for whole lines.
type Buffer struct {
	out     io.Writer
	dropped atomic.Int64

	mu      sync.Mutex
	pending []byte
	lost    int // lines dropped after those that are pending
	closed  bool

	more chan struct{} // lines are pending, or Close was called
	done chan struct{} // closed when all lines are written
}

// NewBuffer returns a buffer that writes to out until Close.
func NewBuffer(out io.Writer) *Buffer {
	b := &Buffer{out: out, more: make(chan struct{}, 1), done: make(chan struct{})}
	go b.run()
	return b
}

// Write buffers one line, or drops it. It never fails.
func (b *Buffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.pending)+len(line) > capacity {
		b.lost++
		b.dropped.Add(1)
		return len(line), nil
	}
	b.pending = append(b.pending, line...)
	b.signal()
	return len(line), nil
}

// Dropped returns how many lines were dropped so far.
func (b *Buffer) Dropped() int64 { return b.dropped.Load() }

// Close writes the pending lines, for a second at most. Later lines are dropped.
func (b *Buffer) Close() {
	b.mu.Lock()
	b.closed = true
	b.signal()
	b.mu.Unlock()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-b.done:
	case <-timeout.C:
	}
}

func (b *Buffer) signal() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

func (b *Buffer) run() {
	defer close(b.done)
	var spare []byte
	for range b.more {
		lines, lost, closed := b.take(spare)
		if lost > 0 {
			lines = fmt.Appendf(lines, `{"time":%q,"level":"WARN","msg":"log lines dropped: the reader of the log is too slow","lines":%d}`+"\n",
				time.Now().Format(time.RFC3339Nano), lost)
		}
		if len(lines) > 0 {
			_, _ = b.out.Write(lines) // a failure cannot be logged
		}
		if closed {
			return
		}
		if spare = lines[:0]; cap(spare) > kept { // grown during a stall
			spare = nil
		}
	}
}

// take returns the pending lines and replaces them by an empty slice.
func (b *Buffer) take(empty []byte) (lines []byte, lost int, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines, lost = b.pending, b.lost
	b.pending, b.lost = empty, 0
	return lines, lost, b.closed
}
