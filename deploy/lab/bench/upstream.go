// Package upstream is a fast service that responds to every GET with the same
// page of shipments, so that measured costs are those of the proxy in front.
//
// It guarantees well-formed HTTP/1.1 on kept-alive connections for requests
// without a body, and no more: it does not parse heads.
package upstream

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net"
	"time"
)

//go:embed page.json
var page []byte

// Upstream serves until it is closed.
type Upstream struct {
	listener net.Listener
	answer   []byte
}

// Listen starts it on a loopback port of its own.
func Listen(ctx context.Context) (*Upstream, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"+
		"Date: %s\r\nContent-Length: %d\r\n\r\n", time.Now().UTC().Format(time.RFC1123), len(page))
	u := &Upstream{listener: listener, answer: append([]byte(head), page...)}
	go u.accept()
	return u, nil
}

// Address is where it listens, host:port.
func (u *Upstream) Address() string { return u.listener.Addr().String() }

// Close ends listening; connections end with their clients.
func (u *Upstream) Close() error { return u.listener.Close() }

func (u *Upstream) accept() {
	for {
		conn, err := u.listener.Accept()
		if err != nil {
			return // closed
		}
		go u.serve(conn)
	}
}

// serve responds to each head on conn, which ends at an empty line.
func (u *Upstream) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return // the client is gone, or sends what is no head
		}
		if len(bytes.TrimRight(line, "\r\n")) > 0 {
			continue
		}
		if _, err := conn.Write(u.answer); err != nil {
			return
		}
	}
}
