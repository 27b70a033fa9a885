package chaos

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// The two toxics that toxiproxy does not have, known to it from here on.
func init() {
	toxics.Register("garbage", new(garbage))
	toxics.Register("witness", new(witness))
}

// garbage writes noise over the beginning of each piece of what passes. No
// byte of it is ASCII, so that it is never an answer by accident.
type garbage struct {
	Bytes int `json:"bytes"` // how many of each piece are lost
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

// witness changes nothing and tells which HTTP requests pass.
type witness struct {
	saw func(request)
}

// request is one HTTP request as a witness saw it.
type request struct {
	at     time.Time
	method string
	path   string
	id     string // X-Request-ID, which the gateway makes: one for all tries
	form   string // the body, when it came with the head: the token of a look-up
}

var (
	requestLine = regexp.MustCompile(`^(GET|POST) (/\S*) HTTP/1\.1\r\n`)
	requestID   = regexp.MustCompile(`(?i)\r\nX-Request-Id: (\S+)\r\n`)
)

// Pipe implements toxics.Toxic.
func (w *witness) Pipe(stub *toxics.ToxicStub) {
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
		w.saw(seen)
	})
}

// pass hands every piece on after touch has seen it.
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
