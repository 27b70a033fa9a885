package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is one request.
type call struct {
	method    string // GET if empty
	path      string
	token     string
	body      string
	reference string // of a create; also its Idempotency-Key
	from      string // the client's address; 127.0.0.1 if empty
}

// sample is the outcome of one request.
type sample struct {
	kind   string
	call   call
	start  time.Time
	took   time.Duration
	status int    // 0 without a response
	err    string // why there was no complete response

	code       string // of a problem
	explained  bool   // an error response was problem+json with its request id
	retryAfter bool
	windowed   bool  // the three rate-limit headers are present, once each
	reset      int64 // of the window, Unix seconds
}

// end is when the response was complete.
func (s sample) end() time.Time { return s.start.Add(s.took) }

// failed reports whether the response is one that this kind does not get without a fault.
func (s sample) failed() bool { return s.err != "" || !slices.Contains(kindOf(s.kind).right, s.status) }

// passed reports whether the request succeeded.
func (s sample) passed() bool { return s.status >= 200 && s.status < 300 }

// unavailable reports whether the response is the one of an outage.
func (s sample) unavailable() bool { return s.status == http.StatusServiceUnavailable && s.retryAfter }

// outcome describes the response for the report.
func (s sample) outcome() string {
	if s.status == 0 {
		return s.err
	}
	return strings.Join(strings.Fields(fmt.Sprint(s.status, " ", s.code, " ", s.err)), " ")
}

// client sends requests. Its timeout is far above what is promised. It opens a
// connection for each request: a request lost because an idle connection is
// closed would not be a fault of the product.
type client struct {
	url  string
	http *http.Client
}

const clientTimeout = 10 * time.Second

type fromKey struct{}

func newClient(url string) *client {
	return &client{url: url, http: &http.Client{Timeout: clientTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			var dialer net.Dialer
			if from, _ := ctx.Value(fromKey{}).(string); from != "" {
				dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
			}
			return dialer.DialContext(ctx, network, address)
		},
	}}}
}

// do sends a request once and reads the whole response.
func (c *client) do(ctx context.Context, a call) (s sample, body []byte) {
	if a.method == "" {
		a.method = http.MethodGet
	}
	s.call, s.start = a, time.Now()
	defer func() { s.took = time.Since(s.start) }()
	ctx = context.WithValue(ctx, fromKey{}, a.from)
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
		s.err = reason(err)
		return s, nil
	}
	defer func() { _ = res.Body.Close() }()
	if body, err = io.ReadAll(res.Body); err != nil {
		s.err = fmt.Sprintf("cut off (%s)", reason(err))
	}
	s.read(res, body)
	return s, body
}

// reason is the last part of an error, without addresses.
func reason(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

func (s *sample) read(res *http.Response, body []byte) {
	s.status, s.retryAfter = res.StatusCode, res.Header.Get("Retry-After") != ""
	s.windowed = true
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		s.windowed = s.windowed && len(res.Header.Values(name)) == 1
	}
	s.reset, _ = strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64) // windowed is false without it
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
