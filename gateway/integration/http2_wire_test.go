package integration

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Conn is a connection over which a test sends arbitrary frames.
type http2Conn struct {
	net.Conn
	*http2.Framer

	headers bytes.Buffer
	encoder *hpack.Encoder
	stream  uint32 // the last one
}

// dialHTTP2 opens one with prior knowledge (RFC 9113, section 3.3), and exchanges settings.
func (g *gateway) dialHTTP2(t *testing.T) *http2Conn {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c := newHTTP2Conn(conn)
	if err := c.begin(); err != nil {
		t.Fatal(err)
	}
	return c
}

func newHTTP2Conn(conn net.Conn) *http2Conn {
	c := &http2Conn{Conn: conn, Framer: http2.NewFramer(conn, conn)}
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.AllowIllegalWrites = true
	c.encoder = hpack.NewEncoder(&c.headers)
	return c
}

// begin sends the client's preface.
func (c *http2Conn) begin(settings ...http2.Setting) error {
	_, err := io.WriteString(c.Conn, http2.ClientPreface)
	return errors.Join(err, c.WriteSettings(settings...))
}

// open begins a request with pairs of header names and values, pseudo-headers first. With end the request has no body.
func (c *http2Conn) open(end bool, fields ...string) error {
	if c.stream == 0 {
		c.stream = 1
	} else {
		c.stream += 2
	}
	return c.WriteHeaders(http2.HeadersFrameParam{
		StreamID: c.stream, BlockFragment: c.encode(fields), EndHeaders: true,
		EndStream: end,
	})
}

func (c *http2Conn) encode(fields []string) []byte {
	c.headers.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = c.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return c.headers.Bytes()
}

// answer reads until the last request has a response, and returns its status, or the reason why there is none.
func (c *http2Conn) answer() (status, body string) {
	for {
		frame, err := c.ReadFrame()
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			if f.StreamID != c.stream {
				continue
			}
			status = f.PseudoValue("status")
			if f.StreamEnded() {
				return status, body
			}
		case *http2.DataFrame:
			if f.StreamID != c.stream {
				continue
			}
			body += string(f.Data())
			if f.StreamEnded() {
				return status, body
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == c.stream {
				return cmp.Or(status, "reset: "+f.ErrCode.String()), body
			}
		case *http2.GoAwayFrame:
			if f.ErrCode != http2.ErrCodeNo {
				return cmp.Or(status, "GOAWAY: "+f.ErrCode.String()), body
			}
		}
		if err != nil {
			if _, ok := errors.AsType[http2.StreamError](err); !ok {
				return cmp.Or(status, fmt.Sprint("closed: ", err)), body
			}
		}
	}
}

// askHTTP2 sends a request without a body on a connection of its own.
func (g *gateway) askHTTP2(t *testing.T, method, path string, fields ...string) (status, body string) {
	t.Helper()
	c := g.dialHTTP2(t)
	if err := c.open(true, append([]string{":method", method, ":scheme", "http", ":authority", "api", ":path", path},
		fields...)...); err != nil {
		t.Fatal(err)
	}
	status, body = c.answer()
	_ = c.Close()
	return status, body
}
