package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ask is one request.
type ask struct {
	method    string // GET unless said
	path      string
	token     string
	body      string
	reference string // of a create: also its Idempotency-Key
	from      string // the client's address, 127.0.0.1 unless said
}

// sample is what came of one request.
type sample struct {
	kind   string
	ask    ask
	start  time.Time
	took   time.Duration
	status int    // 0 when there was no answer
	err    string // why there was no answer, or no whole one
	nobody bool   // the gateway's address refused the connection

	code       string // of a problem
	explained  bool   // a failure was the product's problem+json, with its request id
	retryAfter bool
	windowed   bool  // the window's three headers are there, once each
	reset      int64 // of the window, Unix seconds
}

// end is when the answer was complete.
func (s sample) end() time.Time { return s.start.Add(s.took) }

// failed tells whether the answer was none that this kind gets on a good day.
func (s sample) failed() bool {
	for _, right := range kindOf(s.kind).right {
		if s.status == right && s.err == "" {
			return false
		}
	}
	return true
}

// passed tells whether the request was let through.
func (s sample) passed() bool { return s.status >= 200 && s.status < 300 }

// outcome names the answer, for people.
func (s sample) outcome() string {
	switch {
	case s.nobody:
		return "connection refused"
	case s.status == 0:
		return s.err
	case s.err != "":
		return fmt.Sprintf("%d, %s", s.status, s.err)
	case s.code != "":
		return fmt.Sprintf("%d %s", s.status, s.code)
	default:
		return strconv.Itoa(s.status)
	}
}

// client asks the gateway directly. It waits far longer than is promised, and
// opens a connection for each request: what is lost when an idle connection
// is closed under a request would not be the product's doing.
type client struct {
	url  string
	http *http.Client
}

// patience is how long a client waits for an answer.
const patience = 10 * time.Second

type fromKey struct{}

func newClient(url string) *client {
	return &client{url: url, http: &http.Client{Timeout: patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			var dialer net.Dialer
			if from, ok := ctx.Value(fromKey{}).(string); ok {
				dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
			}
			return dialer.DialContext(ctx, network, address)
		},
	}}}
}

// do asks once and reads the whole answer.
func (c *client) do(ctx context.Context, a ask) (s sample, body []byte) {
	if a.method == "" {
		a.method = http.MethodGet
	}
	if a.from != "" {
		ctx = context.WithValue(ctx, fromKey{}, a.from)
	}
	s.ask, s.start = a, time.Now()
	defer func() { s.took = time.Since(s.start) }()
	req, err := http.NewRequestWithContext(ctx, a.method, c.url+a.path, strings.NewReader(a.body))
	if err != nil {
		s.err = err.Error()
		return s, nil
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	if a.body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", a.reference)
	}
	res, err := c.http.Do(req)
	if err != nil {
		s.err, s.nobody = reason(err), errors.Is(err, syscall.ECONNREFUSED)
		return s, nil
	}
	defer func() { _ = res.Body.Close() }()
	if body, err = io.ReadAll(res.Body); err != nil {
		s.err = "cut off: " + reason(err)
	}
	s.read(res, body)
	return s, body
}

// reason is the last part of an error: what happened, not to whom.
func reason(err error) string {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no answer in time"
	}
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

func (s *sample) read(res *http.Response, body []byte) {
	s.status, s.retryAfter = res.StatusCode, res.Header.Get("Retry-After") != ""
	s.windowed = true
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		s.windowed = s.windowed && len(res.Header.Values(name)) == 1
	}
	s.reset, _ = strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64) // windowed says whether it was there
	if s.status < http.StatusBadRequest {
		return
	}
	var problem struct {
		Type, Title, Detail, Code string
		Status                    int
		RequestID                 string `json:"request_id"`
	}
	err := json.Unmarshal(body, &problem)
	s.code = problem.Code
	s.explained = err == nil && res.Header.Get("Content-Type") == "application/problem+json" &&
		problem.Status == s.status && problem.Code != "" && problem.Type == "/problems/"+problem.Code &&
		problem.Title != "" && problem.Detail != "" &&
		problem.RequestID != "" && problem.RequestID == res.Header.Get("X-Request-Id")
}
