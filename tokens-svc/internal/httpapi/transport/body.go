package transport

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
)

// Media types of bodies.
const (
	plainJSON  = "application/json"
	mergePatch = "application/merge-patch+json" // RFC 7396
)

// mediaTypeError means that a body is not sent as it must be.
type mediaTypeError struct{ reason, want string }

// Error implements error.
func (e *mediaTypeError) Error() string {
	return fmt.Sprintf("%s; send it with Content-Type: %s", e.reason, e.want)
}

// bodyError is all faults of a body.
type bodyError struct{ faults []problem.Field }

// Error implements error.
func (e *bodyError) Error() string {
	return problem.Summary(len(e.faults), "field")
}

// limits bound the JSON of a body.
var limits = jsonbody.Limits{Elements: 1_000, Values: 5_000, Scalar: 16 << 10}

// errCutShort means that a body ended before it was complete.
var errCutShort = &jsonbody.SyntaxError{Reason: "the body ended before it was complete"}

// readJSON reads a body that must be JSON, of one of these media types, of a
// request without parameters.
func readJSON(r *http.Request, types ...string) (*jsonbody.Body, error) {
	if err := query.Read(r).Err(); err != nil {
		return nil, err
	}
	if r.Body == http.NoBody && r.Header.Get("Content-Type") == "" {
		return jsonbody.Parse([]byte("{}"), limits) // its faults name the members that are missing
	}
	if err := checkType(r.Header, types...); err != nil {
		return nil, err
	}
	text, err := readText(r)
	if err != nil {
		return nil, err
	}
	body, err := jsonbody.Parse(text, limits)
	if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok {
		return nil, &bodyError{[]problem.Field{beyond.Fault}}
	}
	return body, err
}

// readOptionalJSON reads a body that may be left out, which is like {}.
func readOptionalJSON(r *http.Request) (*jsonbody.Body, error) {
	if err := query.Read(r).Err(); err != nil {
		return nil, err
	}
	if r.ContentLength == 0 {
		return jsonbody.Parse([]byte("{}"), limits)
	}
	return readJSON(r, plainJSON)
}

// readText reads a body to its end.
func readText(r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); err != nil && !tooLarge {
		return nil, errCutShort
	}
	return text, err
}

// checkType makes sure that a body has one of these media types, and is UTF-8
// without compression.
func checkType(h http.Header, types ...string) error {
	want := strings.Join(types, " or ")
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return &mediaTypeError{"the body has a content encoding, which is not read here", want}
	}
	given := h.Values("Content-Type")
	if len(given) != 1 {
		return &mediaTypeError{"the body has no media type, or several", want}
	}
	kind, params, err := mime.ParseMediaType(given[0])
	if charset, ok := params["charset"]; err == nil && ok && !strings.EqualFold(charset, "utf-8") {
		return &mediaTypeError{"the body's charset is not utf-8", want}
	}
	for _, t := range types {
		if err == nil && kind == t {
			return nil
		}
	}
	return &mediaTypeError{"the body's media type is another", want}
}

// faultsOf returns the faults of a body, or nil.
func faultsOf(b *jsonbody.Body) error {
	if faults := b.Faults(); len(faults) > 0 {
		return &bodyError{faults}
	}
	return nil
}
