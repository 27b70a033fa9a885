//go:build linux

package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"time"
)

// client uses one connection at a time and records its responses.
type client struct {
	run       *run
	conn      net.Conn
	in        *bufio.Reader
	latencies []time.Duration
}

// connect opens a connection and closes the previous one.
func (c *client) connect(ctx context.Context) error {
	if c.conn != nil {
		_ = c.conn.Close()
	}
	var err error
	if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp", c.run.plan.Address); err != nil {
		return err
	}
	if c.in == nil {
		c.in = bufio.NewReaderSize(c.conn, 16<<10)
	}
	c.in.Reset(c.conn)
	return c.conn.SetDeadline(c.run.deadline)
}

// exchange sends the next request and reads the whole response. A broken
// connection counts as a wrong response and is replaced; an error means that it
// could not be replaced.
func (c *client) exchange(ctx context.Context) error {
	status, last, err := c.roundTrip()
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return err // it hangs, and what comes next would too
	}
	c.run.recordStatus(status)
	if err != nil || last {
		return c.connect(ctx)
	}
	return nil
}

// roundTrip returns the status of the next response, 0 with an error, and whether
// the server will close the connection.
func (c *client) roundTrip() (status int, last bool, err error) {
	if _, err := c.conn.Write(c.run.request()); err != nil {
		return 0, false, err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch name, value, _ := bytes.Cut(line, []byte(": ")); {
		case first:
			if status, err = readStatus(line); err != nil {
				return 0, false, err
			}
		case len(line) == 0:
			if length < 0 {
				return 0, false, errors.New("an answer without Content-Length")
			}
			_, err := c.in.Discard(length)
			return status, last, err
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, false, err
			}
		case bytes.EqualFold(name, []byte("Connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
}

// readStatus reads "HTTP/1.1 200 OK".
func readStatus(line []byte) (int, error) {
	text, ok := bytes.CutPrefix(line, []byte("HTTP/1.1 "))
	if !ok || len(text) < len("200") {
		return 0, errors.New("an answer that is no HTTP/1.1")
	}
	return strconv.Atoi(string(text[:len("200")]))
}
