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

// clientConn is a connection for exchanges.
type clientConn struct {
	*net.TCPConn

	reader      *bufio.Reader
	writer      *bufio.Writer
	headerLeft  int64         // bytes that may still come of the response header
	readTimeout time.Duration // timeout of each read; 0: only the deadline counts
	reused      bool          // it was used for another exchange
	idleSince   time.Time     // end of the last exchange

	aborted atomic.Bool // the client has disconnected

	raw    syscall.RawConn
	peek   func(fd uintptr) bool
	noData bool // result of the last peek
}

func newClientConn(conn *net.TCPConn) (*clientConn, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	w := &clientConn{TCPConn: conn, raw: raw}
	w.reader, w.writer = bufio.NewReader(w), bufio.NewWriter(conn)
	w.peek = func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
		w.noData = errors.Is(err, syscall.EAGAIN)
		return true // do not wait
	}
	return w, nil
}

// isIdle reports whether nothing has arrived since the last exchange: neither bytes, which would be read as the
// response to the next request, nor the end of the connection.
func (w *clientConn) isIdle() bool {
	w.noData = false
	err := w.raw.Read(w.peek)
	return err == nil && w.noData
}

// abort fails present and future reads and writes.
func (w *clientConn) abort() {
	w.aborted.Store(true)
	_ = w.SetDeadline(time.Unix(1, 0))
}

// Read implements io.Reader.
func (w *clientConn) Read(p []byte) (int, error) {
	if w.headerLeft <= 0 {
		return 0, fmt.Errorf("the header of the response has over %d bytes", maxHead)
	}
	if w.readTimeout > 0 {
		if err := w.SetReadDeadline(time.Now().Add(w.readTimeout)); err != nil {
			return 0, err
		}
		if w.aborted.Load() { // abort's deadline may have been overwritten
			return 0, context.Canceled
		}
	}
	n, err := w.TCPConn.Read(p[:min(int64(len(p)), w.headerLeft)])
	w.headerLeft -= int64(n)
	return n, err
}
