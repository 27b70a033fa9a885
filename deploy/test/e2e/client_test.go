package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// api is the API documents that the gateway serves.
var api *apiDocuments

// call is one request of a client.
type call struct {
	method string // GET if empty
	path   string
	token  string // none when empty
	body   string // sent as JSON when not empty
	header http.Header
}

// answer is a response with checked rate limit headers.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do makes a call and checks the guarantees of every response: it is in the API
// document, and has the rate limit headers once, a request id, and no token.
func do(t *testing.T, c call) answer {
	t.Helper()
	req := c.request(t)
	a := send(t, req)
	// On a busy machine an introspection may exceed its 250 ms. Nothing was counted, so the call is repeated.
	for range 20 {
		if a.status != http.StatusServiceUnavailable || !bytes.Contains(a.body, []byte(`"auth_unavailable"`)) {
			break
		}
		req = c.request(t)
		a = send(t, req)
	}
	a.checkWindow(t)
	if id := a.header.Get("X-Request-Id"); !requestID.MatchString(id) {
		t.Errorf("%s %s: X-Request-ID is %q", req.Method, c.path, id)
	}
	if a.status >= http.StatusBadRequest {
		a.checkProblem(t, c)
	}
	a.checkAgainstAPI(t, req)
	if strings.HasPrefix(c.token, "shpt_") &&
		(bytes.Contains(a.body, []byte(c.token)) || strings.Contains(fmt.Sprint(a.header), c.token)) {
		t.Errorf("%s %s: the response contains the token", req.Method, c.path)
	}
	return a
}

// client has a connection for each request.
var client = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a request and reads the whole response.
func send(t *testing.T, req *http.Request) (a answer) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer func() { _ = res.Body.Close() }()
	a.status, a.header = res.StatusCode, res.Header
	if a.body, err = io.ReadAll(res.Body); err != nil {
		t.Fatalf("%s %s: body: %v", req.Method, req.URL.Path, err)
	}
	return a
}

var requestID = regexp.MustCompile(`^req_[0-9a-hjkmnp-tv-z]{26}$`)

func (c call) request(t *testing.T) *http.Request {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(t.Context(), c.method, stack.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	if c.body == "" {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	maps.Copy(req.Header, c.header)
	return req
}

// checkWindow checks that each header of the window is there once, with a number.
func (a answer) checkWindow(t *testing.T) {
	t.Helper()
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if _, err := strconv.ParseUint(a.header.Get(name), 10, 64); err != nil {
			t.Errorf("%s is %q, want a whole number", name, a.header.Get(name))
		}
	}
	for _, name := range []string{
		"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
	} {
		if n := len(a.header.Values(name)); n != 1 {
			t.Errorf("%s: %d values, want one", name, n)
		}
	}
}

// problem is a problem+json body.
type problem struct {
	Type, Title, Detail, Instance, Code string
	Status                              int
	RequestID                           string `json:"request_id"`
	Errors                              []struct{ Code, Pointer, Parameter, Detail string }
}

func (a answer) problem(t *testing.T) (p problem) {
	t.Helper()
	if err := json.Unmarshal(a.body, &p); err != nil {
		t.Fatalf("%d: the body is not a problem: %v: %.200s", a.status, err, a.body)
	}
	return p
}

func (a answer) checkProblem(t *testing.T, c call) {
	t.Helper()
	if c.method == http.MethodHead {
		return
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("%d has Content-Type %q: %.200s", a.status, got, a.body)
		return
	}
	p := a.problem(t)
	path, _, _ := strings.Cut(c.path, "?")
	if p.Status != a.status || p.Type != "/problems/"+p.Code || p.Title == "" || p.Detail == "" ||
		p.Instance != path || p.RequestID != a.header.Get("X-Request-Id") {
		t.Errorf("%d %s: the problem does not match its response: %s", a.status, c.path, a.body)
	}
}

// checkAgainstAPI validates a response against the document of its path and method.
// Only 401, 404 and 405 may have none.
func (a answer) checkAgainstAPI(t *testing.T, req *http.Request) {
	t.Helper()
	switch err := api.checkResponse(req, a.status, a.header, a.body); {
	case errors.Is(err, errNoOperation):
		switch a.status {
		case http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed:
		default:
			t.Errorf("%s %s: %d is in no API document", req.Method, req.URL.Path, a.status)
		}
	case err != nil:
		t.Errorf("%s %s: %d differs from the API document: %v", req.Method, req.URL.Path, a.status, err)
	}
}

// wants fails the test unless the answer has this status and, when it is an
// error, this code.
func (a answer) wants(t *testing.T, status int, code string) {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %.300s", a.status, status, a.body)
	}
	if code != "" {
		if p := a.problem(t); p.Code != code {
			t.Errorf("code %q, want %q: %s", p.Code, code, a.body)
		}
	}
}

// decode decodes a JSON response.
func decode[T any](t *testing.T, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%v: %.300s", err, a.body)
	}
	return v
}

// fresh returns a new token of the demo organization.
func fresh(t *testing.T, permissions string) devstack.Token {
	t.Helper()
	token, err := stack.CreateToken(t.Context(), stack.Demo.Organization, permissions)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// patience bounds every wait: it is much longer than anything takes, because a busy machine is slow.
const patience = 2 * time.Minute

// eventually waits until ok.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond) // far apart, for the limits of tokens
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: still false after %s", what, patience)
		case <-tick.C:
		}
	}
}
