// Package problem writes errors as the whole product shows them: RFC 9457
// problem details, application/problem+json, with the members type, title,
// status, detail, instance, code, request_id and, where single fields are at
// fault, errors.
//
// code is stable and meant for programs; title and detail are for people and
// may change. type is a reference relative to the API's address, so it leads
// to the page that explains the code.
package problem

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// ContentType is the media type of every problem.
const ContentType = "application/problem+json"

// RetryAfter is the number of seconds after which a 503 is worth another try.
const RetryAfter = 2

// Problem is one error answer.
type Problem struct {
	Type      string  `json:"type"`     // "/problems/" + Code
	Title     string  `json:"title"`    // the same for every answer of this code
	Status    int     `json:"status"`   // the HTTP status
	Detail    string  `json:"detail"`   // what was wrong with this very request and what to do
	Instance  string  `json:"instance"` // the request's path, without its query
	Code      string  `json:"code"`     // stable, snake_case
	RequestID string  `json:"request_id"`
	Errors    []Field `json:"errors,omitempty"`

	// Extra are members that the problems of some codes have besides
	// (RFC 9457, 3.2). They come last, in the order of their names.
	Extra map[string]any `json:"-"`
}

// Field is one fault within a request: of a body's member, named by an RFC
// 6901 pointer, or of a query parameter, named as it was sent.
type Field struct {
	Code      string `json:"code"`
	Pointer   string `json:"pointer,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Detail    string `json:"detail"`
}

// New returns the problem of a code, without the parts that only a request
// can tell.
func New(status int, code, title, detail string) Problem {
	return Problem{Type: "/problems/" + code, Title: title, Status: status, Detail: detail, Code: code}
}

// Write answers r with p. It sets instance, and the headers that belong to
// the status: Cache-Control: no-store on 401, 403, 429 and every 5xx, and
// Retry-After on 503 unless one is set already.
func (p Problem) Write(w http.ResponseWriter, r *http.Request) error {
	p.Instance = r.URL.EscapedPath()
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if len(p.Extra) > 0 {
		extra, err := json.Marshal(p.Extra)
		if err != nil {
			return err
		}
		body = append(append(body[:len(body)-1], ','), extra[1:]...)
	}
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	switch {
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden,
		p.Status == http.StatusTooManyRequests, p.Status >= http.StatusInternalServerError:
		h.Set("Cache-Control", "no-store")
	}
	if p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", strconv.Itoa(RetryAfter))
	}
	w.WriteHeader(p.Status)
	_, err = w.Write(append(body, '\n'))
	return err
}
