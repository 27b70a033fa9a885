package integration

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// tapped is a service that records every byte that it receives, by connection, and the requests that net/http parses.
type tapped struct {
	net.Listener

	mu      sync.Mutex
	streams []*bytes.Buffer
	seen    []string
}

func newTapped(t *testing.T) (s *tapped, port string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	s = &tapped{Listener: server.Listener}
	server.Listener = s
	server.Config.Handler = ready(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen = append(s.seen, r.Method+" "+r.RequestURI)
		_, _ = io.WriteString(w, "{}")
	}))
	server.Start()
	t.Cleanup(server.Close)
	_, port, _ = net.SplitHostPort(server.Listener.Addr().String())
	return s, port
}

// Accept implements net.Listener.
func (s *tapped) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	buffer := new(bytes.Buffer)
	s.streams = append(s.streams, buffer)
	return &tap{Conn: conn, service: s, into: buffer}, nil
}

type tap struct {
	net.Conn

	service *tapped
	into    *bytes.Buffer
}

// Read implements io.Reader.
func (c *tap) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	c.into.Write(p[:n])
	return n, err
}

// strictly parses the streams again, strictly after RFC 9112, and returns their requests without health checks.
// Ambiguous framing is an error.
func (s *tapped) strictly() (requests []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range s.streams {
		rest := stream.String()
		for rest != "" {
			head, body, whole := strings.Cut(rest, "\r\n\r\n")
			if !whole || strings.Contains(strings.ReplaceAll(head, "\r\n", ""), "\n") ||
				strings.Contains(strings.ReplaceAll(head, "\r\n", ""), "\r") {
				return requests, fmt.Errorf("incomplete header: %q", rest)
			}
			lines := strings.Split(head, "\r\n")
			framing := map[string][]string{}
			for _, line := range lines[1:] {
				name, value, ok := strings.Cut(line, ": ")
				if !ok || strings.ContainsAny(name, " \t_") {
					return requests, fmt.Errorf("header line %q", line)
				}
				framing[strings.ToLower(name)] = append(framing[strings.ToLower(name)], value)
			}
			lengths, codings := framing["content-length"], framing["transfer-encoding"]
			length := 0
			switch {
			case len(lengths)+len(codings) > 1, len(codings) == 1 && codings[0] != "chunked", len(framing["host"]) != 1:
				return requests, fmt.Errorf("framed by %q and %q for %q", lengths, codings, framing["host"])
			case len(codings) == 1:
				end := strings.Index(body, "0\r\n\r\n")
				if length = end + 5; end < 0 {
					length = len(body) // the client closed the connection
				}
			case len(lengths) == 1:
				if _, err := fmt.Sscanf(lengths[0], "%d", &length); err != nil || fmt.Sprint(length) != lengths[0] {
					return requests, fmt.Errorf("length %q", lengths[0])
				}
				length = min(length, len(body)) // the client closed the connection
			}
			if request, _ := strings.CutSuffix(lines[0], " HTTP/1.1"); request != "GET /readyz" {
				requests = append(requests, request)
				if len(framing["x-gateway-assertion"]) != 1 {
					return requests, fmt.Errorf("%s has no X-Gateway-Assertion", request)
				}
			}
			rest = body[length:]
		}
	}
	return requests, nil
}

// smuggled must not become a request to the service. It has no token and the gate refuses it, so a service that
// receives it proves that it bypassed the gate.
const smuggled = "GET /api/v1/shipments/smuggled HTTP/1.1\r\nHost: api\r\n\r\n"

// A request with ambiguous framing is one request to one parser and two to another. The service receives exactly the
// requests that the gate forwarded, each with unambiguous framing.
func TestNoRequestIsSmuggledPastTheGate(t *testing.T) {
	t.Parallel()

	service, port := newTapped(t)
	g := start(t, options{env: map[string]string{"SHIPMENTS_PORT": port, "REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create(plenty)
	bearer := "Authorization: Bearer " + token + "\r\n"
	post := "POST /api/v1/shipments/outer HTTP/1.1\r\nHost: api\r\n" + bearer
	chunked := "Transfer-Encoding: chunked\r\n"
	inChunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(smuggled), smuggled)
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }

	cases := 0
	for name, request := range map[string]string{
		"CL.TE":                 post + length(len(smuggled)+5) + chunked + "\r\n0\r\n\r\n" + smuggled,
		"TE.CL":                 post + chunked + length(4) + "\r\n" + inChunk,
		"TE.TE, unknown second": post + chunked + "Transfer-Encoding: cow\r\n\r\n0\r\n\r\n" + smuggled,
		"TE identity": post + "Transfer-Encoding: identity\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE identity, chunked": post + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + smuggled,
		"TE with a space before colon": post + "Transfer-Encoding : chunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE with a tab": post + "Transfer-Encoding:\tchunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE with _": post + "Transfer_Encoding: chunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE folded": post + "Transfer-Encoding:\r\n chunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE after a bare LF": post + "X-A: b\nTransfer-Encoding: chunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE after a bare CR": post + "X-A: b\rTransfer-Encoding: chunked\r\n" + length(5) +
			"\r\n0\r\n\r\n" + smuggled,
		"TE of HTTP/1.0": strings.Replace(post, "HTTP/1.1", "HTTP/1.0",
			1) + chunked + "\r\n0\r\n\r\n" + smuggled,
		"all bare LF":                  strings.ReplaceAll(post+length(5)+"\r\n", "\r\n", "\n") + "0\r\n\r\n" + smuggled,
		"CL twice, different":          post + length(0) + length(len(smuggled)) + "\r\n" + smuggled,
		"CL list":                      post + "Content-Length: 0, " + fmt.Sprint(len(smuggled)) + "\r\n\r\n" + smuggled,
		"CL with a sign":               post + "Content-Length: +2\r\n\r\n{}" + smuggled,
		"CL too large for any integer": post + "Content-Length: 18446744073709551618\r\n\r\n{}" + smuggled,
		"CL in Connection":             post + "Connection: content-length\r\n" + length(len(smuggled)) + "\r\n" + smuggled,
		"TE in Connection":             post + "Connection: transfer-encoding\r\n" + chunked + "\r\n" + inChunk,
		"CL of a GET":                  strings.Replace(post, "POST", "GET", 1) + length(len(smuggled)) + "\r\n" + smuggled,
		"chunk extension":              post + chunked + "\r\n2;a=b\r\n{}\r\n0;c\r\n\r\n" + smuggled,
		"chunk extension with LF":      post + chunked + "\r\n2;\n{}\r\n0\r\n\r\n" + smuggled,
		"chunk size in 0x":             post + chunked + "\r\n0x2\r\n{}\r\n0\r\n\r\n" + smuggled,
		"chunk size that overflows":    post + chunked + "\r\n10000000000000002\r\n{}\r\n0\r\n\r\n" + smuggled,
		"chunk longer than its size":   post + chunked + "\r\n2\r\n{}xx\r\n0\r\n\r\n" + smuggled,
		"chunk ended by LF":            post + chunked + "\r\n2\n{}\n0\n\n" + smuggled,
		"chunk trailers that frame": post + chunked + "\r\n2\r\n{}\r\n0\r\nContent-Length: " +
			"50\r\nTransfer-Encoding: x\r\n\r\n" + smuggled,
		"Expect and no body": post + "Expect: 100-continue\r\n" + length(2) + "\r\n" + smuggled,
		"Upgrade": post + "Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: " +
			"AAMAAABk\r\n" + length(len(smuggled)) + "\r\n" + smuggled,
		"Upgrade to a websocket": strings.Replace(post, "POST", "GET",
			1) + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + smuggled,
		"NUL in a value": post + "X-A: a\x00b\r\n" + length(2) + "\r\n{}" + smuggled,
		"two Hosts":      post + "Host: other\r\n" + length(2) + "\r\n{}" + smuggled,
		"HTTP/0.9":       "GET /api/v1/shipments/outer\r\n" + smuggled,
	} {
		cases++
		converse(t, g, name, strings.ReplaceAll(request, "/outer", fmt.Sprint("/outer", cases)))
	}

	fields := []string{
		":method", "POST", ":scheme", "http", ":authority", "api", ":path", "/api/v1/shipments/outer",
		"authorization", "Bearer " + token,
	}
	with := func(more ...string) []string { return append(append([]string(nil), fields...), more...) }
	in := func(name, value string) []string {
		changed := append([]string(nil), fields...)
		for i := 0; i < len(changed); i += 2 {
			if changed[i] == name {
				changed[i+1] = value
			}
		}
		return changed
	}
	for _, header := range map[string][]string{
		"a body":              with(),
		"CL":                  with("content-length", fmt.Sprint(len(smuggled))),
		"CL shorter":          with("content-length", "0"),
		"CL twice":            with("content-length", "0", "content-length", fmt.Sprint(len(smuggled))),
		"TE":                  with("transfer-encoding", "chunked"),
		"TE and CL":           with("transfer-encoding", "chunked", "content-length", "0"),
		"connection":          with("connection", "transfer-encoding"),
		"upgrade":             with("upgrade", "h2c"),
		"CRLF in a value":     with("x-a", "b\r\ntransfer-encoding: chunked\r\nx: "),
		"CRLF in a name":      with("x-a: b\r\ntransfer-encoding", "chunked"),
		"a name with a space": with("transfer-encoding ", "chunked"),
		"CRLF in the path": in(":path",
			"/api/v1/shipments/outer HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/shipments/smuggled"),
		"CRLF in the method": in(":method", "GET /api/v1/shipments/smuggled HTTP/1.1\r\nHost: x\r\n\r\nPOST"),
		"CRLF in the scheme": in(":scheme", "http://x/\r\nGET /api/v1/shipments/smuggled HTTP/1.1\r\n"),
		"a protocol":         with(":protocol", "websocket"),
	} {
		cases++
		for i, value := range header {
			header[i] = strings.ReplaceAll(value, "/outer", fmt.Sprint("/outer", cases))
		}
		c := g.dialHTTP2(t)
		if err := c.open(false, header...); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteData(c.stream, true, []byte(smuggled)); err != nil {
			t.Fatal(err)
		}
		c.answer()
		_ = c.Close()
	}

	c := g.dialHTTP2(t)
	if err := c.open(false, with()...); err != nil {
		t.Fatal(err)
	}
	_ = c.WriteData(c.stream, false, []byte("{}"))
	_ = c.WriteHeaders(http2.HeadersFrameParam{
		StreamID: c.stream, EndHeaders: true, EndStream: true,
		BlockFragment: c.encode([]string{
			"content-length", "0", "transfer-encoding", "chunked", ":path",
			"/api/v1/shipments/smuggled",
		}),
	})
	c.answer()
	_ = c.Close()
	service.checkOnlyOuter(t)
}

// converse sends request, which may be incomplete, and reads until the gateway closes the connection.
func converse(t *testing.T, g *gateway, name, request string) {
	t.Helper()
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, request)
	_ = conn.(*net.TCPConn).CloseWrite() // so that the gateway does not wait for the rest of a body
	reader := bufio.NewReader(conn)
	if first, err := reader.ReadString('\n'); err == nil && !strings.HasPrefix(first, "HTTP/1.") {
		t.Errorf("%s: answered with %q", name, first)
	}
	_, _ = io.Copy(io.Discard, reader)
}

// checkOnlyOuter fails unless the service has got of each case at most the outer request, in any reading.
func (s *tapped) checkOnlyOuter(t *testing.T) {
	t.Helper()
	strictly, err := s.strictly()
	if err != nil {
		t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	outer := regexp.MustCompile(`^[A-Z]+ /api/v1/shipments/outer\d*(%20HTTP/1\.1)?$`) // the space of one case, encoded
	for reading, requests := range map[string][]string{"strictly": strictly, "by net/http": s.seen} {
		times := map[string]int{}
		for _, request := range requests {
			if times[request]++; times[request] > 1 || !outer.MatchString(request) {
				t.Errorf("parsed %s: the service received %q", reading, request)
			}
		}
		if len(requests) < 5 {
			t.Errorf("parsed %s: almost no request was forwarded: %q", reading, requests)
		}
	}
}
