package postgres

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadsAndWritesTimeOut: each after AnswerTimeout, counted anew for each.
func TestReadsAndWritesTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe() // the far end does not read or write
		defer func() { _, _ = near.Close(), far.Close() }()
		c := conn{near, AnswerTimeout}
		for name, exchanged := range map[string]func() (int, error){
			"read":  func() (int, error) { return c.Read(make([]byte, 1)) },
			"write": func() (int, error) { return c.Write([]byte{1}) },
		} {
			start := time.Now()
			_, err := exchanged()
			if took := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || took != AnswerTimeout {
				t.Errorf("%s: %v after %s", name, err, took)
			}
		}
	})
}

func TestIdleConnectionsDoNotTimeOut(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer func() { _, _ = near.Close(), far.Close() }()
	c := conn{near, AnswerTimeout}
	if err := near.SetDeadline(time.Now().Add(-time.Hour)); err != nil { // as if it had been used long ago
		t.Fatal(err)
	}
	go func() { _, _ = far.Write([]byte{7}) }()
	buf := make([]byte, 1)
	if n, err := c.Read(buf); n != 1 || err != nil || buf[0] != 7 {
		t.Errorf("%d %v", n, err)
	}
}

func TestDialedConnectionsHaveDeadlines(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := dialer{timeout: AnswerTimeout}.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, ok := c.(conn); !ok {
		t.Errorf("it returns a %T", c)
	}
}
