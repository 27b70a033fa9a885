// Package logbuffer writes log lines without holding up those who log.
//
// Guarantees: Write never waits for the output, which may be a pipe that nobody
// reads; what is written goes out at once, in order, where the output takes it;
// memory is bounded, and lines beyond that bound are dropped and counted, and
// the log says how many once it goes on.
package logbuffer

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// capacity is how many bytes may wait: some thousand lines.
	capacity = 1 << 20
	// kept is the largest buffer that is used again.
	kept = 64 << 10
	// closeTimeout bounds the end.
	closeTimeout = time.Second
)

// Buffer is a Writer for whole lines. Make it with New.
type Buffer struct {
	out     io.Writer
	dropped atomic.Int64

	mu      sync.Mutex
	pending []byte
	lost    int // lines since those that are pending
	closed  bool

	more chan struct{} // there is something pending, or Close was called
	done chan struct{} // closed when all is written
}

// New returns a buffer in front of out.
func New(out io.Writer) *Buffer {
	b := &Buffer{out: out, more: make(chan struct{}, 1), done: make(chan struct{})}
	go b.run()
	return b
}

// Write takes one line, or drops it. It never fails: whoever logs could do
// nothing about it.
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

// Close writes what is pending, for a second at most. What is written
// afterwards is dropped.
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
			lines = fmt.Appendf(lines, `{"time":%q,"level":"WARN","msg":"log lines were dropped: nobody took them","lines":%d}`+"\n",
				time.Now().Format(time.RFC3339Nano), lost)
		}
		if len(lines) > 0 {
			_, _ = b.out.Write(lines) // there is nowhere to say that it failed
		}
		if closed {
			return
		}
		if spare = lines[:0]; cap(spare) > kept { // what a stall made it grow to
			spare = nil
		}
	}
}

// take returns what is pending, and leaves an empty slice to go on with.
func (b *Buffer) take(empty []byte) (lines []byte, lost int, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines, lost = b.pending, b.lost
	b.pending, b.lost = empty, 0
	return lines, lost, b.closed
}
