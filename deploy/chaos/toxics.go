package main

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// The toxics that toxiproxy does not have.
func init() {
	toxics.Register("garbage", new(garbage))
	toxics.Register("recorder", new(recorder))
}

// garbage overwrites the beginning of each segment with random bytes, none of
// them ASCII, so that the result is never valid.
type garbage struct {
	Bytes int `json:"bytes"` // of each segment
}

// Pipe implements toxics.Toxic.
func (g *garbage) Pipe(stub *toxics.ToxicStub) {
	pass(stub, func(c *stream.StreamChunk) {
		noise := make([]byte, min(g.Bytes, len(c.Data)))
		_, _ = rand.Read(noise) // never fails
		for i := range noise {
			noise[i] |= 0x80
		}
		copy(c.Data, noise)
	})
}

// recorder reports the HTTP requests that pass and changes nothing.
type recorder struct {
	record func(request)
}

// request is one HTTP request as a recorder saw it.
type request struct {
	at     time.Time
	method string
	path   string
	id     string // X-Request-ID of the gateway, the same for all attempts
	form   string // the body, if it arrived with the head: the token of an introspection
}

var (
	requestLine = regexp.MustCompile(`^(GET|POST) (/\S*) HTTP/1\.1\r\n`)
	requestID   = regexp.MustCompile(`(?i)\r\nX-Request-Id: (\S+)\r\n`)
)

// Pipe implements toxics.Toxic.
func (w *recorder) Pipe(stub *toxics.ToxicStub) {
	pass(stub, func(c *stream.StreamChunk) {
		head, body, whole := bytes.Cut(c.Data, []byte("\r\n\r\n"))
		line := requestLine.FindSubmatch(c.Data)
		if line == nil || !whole {
			return
		}
		seen := request{at: time.Now(), method: string(line[1]), path: string(line[2]), form: string(body)}
		if id := requestID.FindSubmatch(append(head, "\r\n"...)); id != nil {
			seen.id = string(id[1])
		}
		w.record(seen)
	})
}

// pass forwards every segment after touch.
func pass(stub *toxics.ToxicStub, touch func(*stream.StreamChunk)) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case c := <-stub.Input:
			if c == nil {
				stub.Close()
				return
			}
			touch(c)
			stub.Output <- c
		}
	}
}
