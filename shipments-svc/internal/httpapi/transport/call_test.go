package transport_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
)

// call is a request; its zero value is a permitted GET of the collection. A
// path that begins with ? is a query of that.
type call struct {
	method, path string
	body         string
	permissions  *string     // nil: allowed
	header       http.Header // replaces what do sets; nil values remove it
}

func post(path, body string) call  { return call{method: http.MethodPost, path: path, body: body} }
func patch(path, body string) call { return call{method: http.MethodPatch, path: path, body: body} }
func remove(path string) call      { return call{method: http.MethodDelete, path: path} }

// with returns the call with a header more.
func (c call) with(name, value string) call {
	if c.header = c.header.Clone(); c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(name, value)
	return c
}

type answer struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration // until the first byte
}

// do sends a request, as the gateway would, and checks that the answer is one
// that the public description has.
func (a *api) do(tb testing.TB, c call) answer {
	tb.Helper()
	res, err := a.send(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	if res.status >= http.StatusInternalServerError {
		tb.Logf("the log is %s", a.log) // says why
	}
	return res
}

func (a *api) send(ctx context.Context, c call) (answer, error) {
	if c.method == "" {
		c.method = http.MethodGet
	}
	if !strings.HasPrefix(c.path, "/") { // "" or a query
		c.path = collection + c.path
	}
	req, err := http.NewRequestWithContext(ctx, c.method, a.url+c.path, strings.NewReader(c.body))
	if err != nil {
		return answer{}, err
	}
	permissions := allowed
	if c.permissions != nil {
		permissions = *c.permissions
	}
	req.Header.Set(assertion.HeaderOrganization, a.org)
	req.Header.Set(assertion.HeaderToken, token)
	req.Header.Set(assertion.HeaderPermissions, permissions)
	if c.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	start, took := time.Now(), time.Duration(0)
	res, err := a.client.Do(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { took = time.Since(start) },
	})))
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, body, took}, err
}

// wants fails the test unless the answer has the status and, if it is a
// problem, the code.
func (r answer) wants(tb testing.TB, status int, code string) {
	tb.Helper()
	_ = r.problem(tb, status, code)
}

// problem is wants, and returns the problem.
func (r answer) problem(tb testing.TB, status int, code string) (p problem.Problem) {
	tb.Helper()
	if r.status >= http.StatusBadRequest && len(r.body) > 0 {
		decode(tb, r.body, &p)
	}
	if r.status != status || p.Code != code {
		tb.Fatalf("status %d, code %q, want %d, %q: %s", r.status, p.Code, status, code, r.body)
	}
	return p
}

// says is what an answer says: its status, and of a problem its code and its faults.
func (r answer) says(tb testing.TB) string {
	tb.Helper()
	said := strconv.Itoa(r.status)
	if r.status < http.StatusBadRequest || len(r.body) == 0 {
		return said
	}
	var p problem.Problem
	if err := json.Unmarshal(r.body, &p); err != nil {
		tb.Errorf("%v in %s", err, r.body)
	}
	said += " " + p.Code
	for _, f := range p.Errors {
		said += ", " + f.Code + " " + cmp.Or(f.Pointer, f.Parameter)
	}
	return said
}

// status is a call and what its answer must say, and have in its body.
type status struct {
	call
	says string
	has  string
}

// answers sends each call, and compares what is answered.
func (a *api) answers(t *testing.T, all map[string]status) {
	t.Helper()
	for name, want := range all {
		res := a.do(t, want.call)
		if got := res.says(t); got != want.says || !strings.Contains(string(res.body), want.has) {
			t.Errorf("%s: %s, want %s with %q: %.2000s", name, got, want.says, want.has, res.body)
		}
	}
}

func decode(tb testing.TB, text []byte, into any) {
	tb.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
}
