package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// verdict returns the guarantees that the response to r violates, or nil.
func (r *request) verdict(res response) error {
	var wrong []error
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }

	if res.status >= http.StatusInternalServerError {
		complain("status %d: %.300s", res.status, res.body)
	}
	if byNetHTTP(res) {
		return errors.Join(wrong...)
	}
	if encoding := res.header.Get("Content-Encoding"); encoding != "" {
		body, err := decompress(encoding, res.body)
		if err != nil {
			complain("%s: %w", encoding, err)
		}
		res.body = body
	}
	for _, name := range []string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"} {
		if values := res.header.Values(name); len(values) != 1 {
			complain("%d: %s has %d values", res.status, name, len(values))
		}
	}
	if id := res.header.Get("X-Request-Id"); !requestID.MatchString(id) {
		complain("%d: X-Request-ID is %q", res.status, id)
	}
	if res.status >= http.StatusBadRequest && r.method != http.MethodHead {
		if err := checkProblem(res); err != nil {
			complain("%d: %w", res.status, err)
		}
	}
	return errors.Join(append(wrong, r.compare(res))...)
}

// compare checks request and response against the API documents. A target that
// is no URL is in none of them, nor is one with an encoded slash, which is no
// separator (RFC 3986, 2.2). Clients that prefer HTML get errors as pages.
func (r *request) compare(res response) error {
	target, err := url.ParseRequestURI(r.target)
	if err != nil {
		return errorIf(res.status < http.StatusBadRequest, "%d for a target that is no URL: %w", res.status, err)
	}
	isPage := strings.HasPrefix(res.header.Get("Content-Type"), "text/html") && res.status >= http.StatusBadRequest
	if isPage || strings.Contains(strings.ToLower(target.RawPath), "%2f") {
		return nil
	}
	target.Scheme, target.Host, target.RawPath = "http", address(), "" // encoded or not, a path is the same
	sent := func() *http.Request {
		req := &http.Request{
			Method: r.method, URL: target, Host: address(), Header: http.Header{},
			Body: http.NoBody, ContentLength: int64(len(r.body)),
		}
		if len(r.body) > 0 {
			req.Body = readCloser{bytes.NewReader(r.body)}
		}
		for _, f := range r.header {
			req.Header.Add(f.name, f.value)
		}
		return req
	}
	req := sent()
	switch err := api.checkResponse(req, res.status, res.header, res.body); {
	case errors.Is(err, errNoOperation):
		unlisted := r.method == http.MethodHead || r.method == http.MethodOptions
		return errorIf(res.status < 300 && !unlisted, "%d for an operation that no document has", res.status)
	case err != nil && res.status != http.StatusUnauthorized:
		return fmt.Errorf("%d differs from the document: %.800s", res.status, err.Error())
	}
	if res.status >= http.StatusBadRequest || strings.HasPrefix(req.Header.Get("Content-Type"), "multipart/") {
		return nil
	}
	if err := api.checkRequest(sent()); err != nil {
		return fmt.Errorf("%d, but the document forbids the request: %.800s", res.status, err.Error())
	}
	return nil
}

func errorIf(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// byNetHTTP reports whether a response is from Go's server before any handler, without
// the product's headers.
func byNetHTTP(res response) bool {
	switch res.status {
	case http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge, http.StatusHTTPVersionNotSupported,
		http.StatusExpectationFailed:
		return res.header.Get("X-Request-Id") == "" && res.last
	}
	return false
}

func checkProblem(res response) error {
	switch contentType := res.header.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "text/html"):
		return nil
	case contentType != "application/problem+json":
		return fmt.Errorf("content type %q: %.100q", contentType, res.body)
	}
	var p struct {
		Status                    int
		Type, Title, Detail, Code string
		RequestID                 string `json:"request_id"`
	}
	if err := json.Unmarshal(res.body, &p); err != nil {
		return fmt.Errorf("%w: %.200q", err, res.body)
	}
	if p.Status != res.status || p.Code == "" || p.Title == "" || p.Detail == "" ||
		p.RequestID != res.header.Get("X-Request-Id") {
		return fmt.Errorf("the problem does not match its response: %s", res.body)
	}
	return nil
}

// decompress returns the decompressed body.
func decompress(encoding string, body []byte) ([]byte, error) {
	var r io.Reader
	switch encoding {
	case "gzip":
		unzip, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		r = unzip
	case "zstd":
		unzip, err := zstd.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer unzip.Close()
		r = unzip
	default:
		return nil, errors.New("the request does not accept it")
	}
	return io.ReadAll(r)
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
