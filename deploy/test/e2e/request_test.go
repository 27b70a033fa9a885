package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// request is a request as sent. Nothing in it is encoded or corrected, so that it can
// be one that no HTTP library would send.
type request struct {
	method string
	target string // path and query
	header []field
	body   []byte
	from   string // the client's address on the loopback net; empty: 127.0.0.1
}

type field struct{ name, value string }

func (r *request) set(name, value string) {
	r.remove(name)
	r.header = append(r.header, field{name, value})
}

func (r *request) remove(name string) {
	kept := r.header[:0]
	for _, f := range r.header {
		if !strings.EqualFold(f.name, name) {
			kept = append(kept, f)
		}
	}
	r.header = kept
}

// head returns the request line and the header section.
func (r *request) head() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, r.target, address())
	for _, f := range r.header {
		fmt.Fprintf(&b, "%s: %s\r\n", f.name, f.value)
	}
	if len(r.body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.body))
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// String formats the request for failure messages, without its secret.
func (r *request) String() string {
	shown := *r
	shown.header = nil
	for _, f := range r.header {
		if f.name == "Authorization" {
			f.value = "…"
		}
		shown.header = append(shown.header, f)
	}
	text := fmt.Sprintf("%q", shown.head())
	if len(text) > 1500 {
		text = text[:1500] + "…"
	}
	return fmt.Sprintf("%s + %d bytes %.600q", text, len(r.body), r.body)
}

func address() string { return strings.TrimPrefix(stack.URL, "http://") }

// response is a response as it was read.
type response struct {
	status int
	header http.Header
	body   []byte
	last   bool // the server closes the connection after it
}

// conn is a client's connection.
type conn struct {
	net.Conn
	in *bufio.Reader
}

// connect opens a connection with a deadline after limit.
func connect(from string, limit time.Duration) (*conn, error) {
	dialer := net.Dialer{Timeout: patience}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	c, err := dialer.Dial("tcp", address())
	if err != nil {
		return nil, err
	}
	return &conn{c, bufio.NewReader(c)}, c.SetDeadline(time.Now().Add(limit))
}

// read reads the response to a request of this method.
func (c *conn) read(method string) (response, error) {
	res, err := http.ReadResponse(c.in, &http.Request{Method: method})
	for err == nil && res.StatusCode == http.StatusContinue {
		res, err = http.ReadResponse(c.in, &http.Request{Method: method})
	}
	if err != nil {
		return response{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return response{status: res.StatusCode, header: res.Header, body: body, last: res.Close}, err
}

// send sends a request on a connection of its own and reads the response. On a busy machine an introspection, a
// statement or a service may exceed its deadline; send then repeats the request.
func (r *request) send() (res response, err error) {
	for range 20 {
		res, err = r.sendOnce()
		if err != nil || res.status != http.StatusServiceUnavailable && res.status != http.StatusGatewayTimeout {
			break
		}
	}
	return res, err
}

func (r *request) sendOnce() (response, error) {
	c, err := connect(r.from, patience)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = c.Close() }()
	// A server may respond before it has read the whole body and then close the
	// connection, so a write error counts only without a response.
	_, wrote := c.Write(append(r.head(), r.body...))
	res, err := c.read(r.method)
	if err != nil && wrote != nil {
		err = fmt.Errorf("%w; writing: %w", err, wrote)
	}
	return res, err
}
