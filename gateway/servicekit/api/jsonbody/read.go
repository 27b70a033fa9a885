package jsonbody

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// MediaTypeError means that a body is not sent as it is read.
type MediaTypeError struct {
	Reason string
	Want   string // a media type
}

// Error implements error.
func (e *MediaTypeError) Error() string {
	return "the body's " + e.Reason + "; send it with Content-Type: " + e.Want
}

// Read reads a body whole, before any of it is interpreted. It gives an *http.MaxBytesError for one that is too large,
// and a *SyntaxError for one that ended before it was complete.
func Read(r *http.Request) ([]byte, error) {
	var text bytes.Buffer
	_, err := text.ReadFrom(r.Body)
	if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
		err = &SyntaxError{Reason: "the body ended before it was complete"}
	}
	return text.Bytes(), err
}

// MediaType returns the media type of a body, or a *MediaTypeError if it is none of these, or the body is compressed or
// not in UTF-8.
func MediaType(h http.Header, accepted ...string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &MediaTypeError{reason, accepted[0]} }
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse("content encoding is not read here, only uncompressed bodies are")
	}
	given := h.Values("Content-Type")
	if len(given) != 1 {
		return refuse("media type is missing, or there are several")
	}
	kind, params, err := mime.ParseMediaType(given[0])
	if err != nil || !slices.Contains(accepted, kind) {
		return refuse("media type is not " + strings.Join(accepted, " or "))
	}
	// A form with files has no charset of its own, though some clients name one.
	if charset, ok := params["charset"]; ok && kind != "multipart/form-data" && !strings.EqualFold(charset, "utf-8") {
		return refuse("charset is not UTF-8")
	}
	return kind, nil
}
