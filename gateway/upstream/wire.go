//go:build unix

package upstream

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// wire is a connection for exchanges.
type wire struct {
	*net.TCPConn

	reader *bufio.Reader
	writer *bufio.Writer
	head   int64         // how many bytes may still come of what is being read
	idle   time.Duration // the longest that a read may take; 0: until the deadline
	used   bool          // for another exchange before
	since  time.Time     // when the last one ended

	aborted atomic.Bool // the client has left

	raw   syscall.RawConn
	look  func(fd uintptr) bool
	quiet bool // by the last look
}

func newWire(conn *net.TCPConn) (*wire, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &wire{TCPConn: conn, raw: raw}
	w.reader, w.writer = bufio.NewReader(w), bufio.NewWriter(conn)
	w.look = func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
		w.quiet = errors.Is(err, syscall.EAGAIN)
		return true // do not wait
	}
	return w, nil
}

// isQuiet reports whether nothing has come since the last exchange. Bytes would be taken for the answer to the next
// request, and an end means that the service has closed the connection.
func (w *wire) isQuiet() bool {
	w.quiet = false
	err := w.raw.Read(w.look)
	return err == nil && w.quiet
}

// abort fails what reads and writes now, or will.
func (w *wire) abort() {
	w.aborted.Store(true)
	_ = w.SetDeadline(time.Unix(1, 0))
}

// Read implements io.Reader.
func (w *wire) Read(p []byte) (int, error) {
	if w.head <= 0 {
		return 0, fmt.Errorf("the header of the response has over %d bytes", maxHead)
	}
	if w.idle > 0 {
		if err := w.SetReadDeadline(time.Now().Add(w.idle)); err != nil {
			return 0, err
		}
		if w.aborted.Load() { // that deadline may have been overwritten
			return 0, context.Canceled
		}
	}
	n, err := w.TCPConn.Read(p[:min(int64(len(p)), w.head)])
	w.head -= int64(n)
	return n, err
}
