// Package problem writes error responses as problem details (RFC 9457),
// application/problem+json, with the members type, title, status, detail,
// instance, code and request_id, and errors for faults of single fields.
//
// code is stable and for programs; title and detail are for people and may change.
// type is a reference relative to the API's address, to the page that explains
// the code.
package problem

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
)

// ContentType is the media type of every problem.
const ContentType = "application/problem+json"

// RetryAfter is the Retry-After of a 503, in seconds.
const RetryAfter = 2

// Problem is an error response.
type Problem struct {
	Type      string  `json:"type"`     // "/problems/" + Code
	Title     string  `json:"title"`    // the same for all problems of this code
	Status    int     `json:"status"`   // the HTTP status
	Detail    string  `json:"detail"`   // what is wrong with this request, and what to do
	Instance  string  `json:"instance"` // the request's path, without its query
	Code      string  `json:"code"`     // stable, snake_case
	RequestID string  `json:"request_id"`
	Errors    []Field `json:"errors,omitempty"`

	// Extra are extension members (RFC 9457, 3.2). They come last, sorted by name.
	Extra map[string]any `json:"-"`
	// RetryAfter is the header Retry-After in seconds; 0: none, but for a 503.
	RetryAfter int `json:"-"`
}

// Error makes a Problem an error that can be returned.
func (p Problem) Error() string { return p.Code + ": " + p.Detail }

// Field is one fault within a request: of a body's member, named by an RFC 6901
// pointer, which is "" for the whole body, or of a query parameter, named as it
// was sent.
type Field struct {
	Code      string `json:"code"`
	Pointer   string `json:"pointer"`
	Parameter string `json:"parameter"`
	Detail    string `json:"detail"`
}

// AllOf reports whether there are faults and all of them have a code.
func AllOf(faults []Field, code string) bool {
	return len(faults) > 0 && !slices.ContainsFunc(faults, func(f Field) bool { return f.Code != code })
}

// MarshalJSON implements json.Marshaler, with the pointer or the parameter.
func (f Field) MarshalJSON() ([]byte, error) {
	shown := struct {
		Code      string  `json:"code"`
		Pointer   *string `json:"pointer,omitempty"`
		Parameter string  `json:"parameter,omitempty"`
		Detail    string  `json:"detail"`
	}{f.Code, &f.Pointer, f.Parameter, f.Detail}
	if f.Parameter != "" {
		shown.Pointer = nil
	}
	return json.Marshal(shown)
}

// New returns the problem of a code.
func New(status int, code, title, detail string) Problem {
	return Problem{Type: "/problems/" + code, Title: title, Status: status, Detail: detail, Code: code}
}

// Write responds to r with p. It makes detail, a text such as that of an error, a
// sentence, and sets instance and the request's id, if they are empty, and the
// headers that belong to the status: Cache-Control: no-store on 401, 403, 429 and
// every 5xx, and Retry-After on 503 unless one is set already.
func (p Problem) Write(w http.ResponseWriter, r *http.Request) {
	p.Instance, p.RequestID = cmp.Or(p.Instance, r.URL.EscapedPath()), cmp.Or(p.RequestID, requestid.Of(r))
	p.Detail = Sentence(p.Detail)
	body, _ := json.Marshal(p) // the members of a problem are JSON
	if len(p.Extra) > 0 {
		extra, _ := json.Marshal(p.Extra)
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
	switch {
	case p.RetryAfter > 0:
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	case p.Status == http.StatusServiceUnavailable && h.Get("Retry-After") == "":
		h.Set("Retry-After", strconv.Itoa(RetryAfter))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // it fails if the client is gone
}

// Sentence begins a text with a capital letter and ends it with a full stop,
// unless it ends as a sentence does. It leaves an empty one.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// Summary is the detail of a problem with errors: n things of a kind, such as
// "field", are not valid.
func Summary(n int, kind string) string {
	if n == 1 {
		return "1 " + kind + " is not valid; see errors."
	}
	return fmt.Sprintf("%d %ss are not valid; see errors.", n, kind)
}
