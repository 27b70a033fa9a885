//go:build linux

package main

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

// upstream is a fast service that responds to every GET with the same page of
// shipments, so that measured costs are those of the proxy in front. It does
// not parse heads.
type upstream struct {
	listener net.Listener
	answer   []byte
}

// listen starts it on a loopback port of its own.
func listen(ctx context.Context) (*upstream, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"+
		"Date: %s\r\nContent-Length: %d\r\n\r\n", time.Now().UTC().Format(time.RFC1123), len(page))
	u := &upstream{listener: listener, answer: append([]byte(head), page...)}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go u.serve(conn)
		}
	}()
	return u, nil
}

func (u *upstream) address() string { return u.listener.Addr().String() }

func (u *upstream) close() error { return u.listener.Close() }

// serve responds to each head on conn, which ends at an empty line.
func (u *upstream) serve(conn net.Conn) {
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
