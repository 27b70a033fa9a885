package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxReports is how many tokens a gateway may report on at once.
const maxReports = 10_000

// decodeUsage reads thousands of reports at once, from programs and not from
// people: it is quick, and names the first fault only.
func decodeUsage(r *http.Request) ([]tokens.Use, error) {
	if err := checkType(r.Header, plainJSON); err != nil {
		return nil, err
	}
	text, err := readText(r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Usage []tokens.Use `json:"usage"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		return nil, usageFault(err, dec.InputOffset())
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, &jsonbody.SyntaxError{Reason: "there is data after the JSON value", Offset: dec.InputOffset()}
	}
	switch {
	case body.Usage == nil:
		return nil, wrongUsage(tokens.Required, "usage is required")
	case len(body.Usage) > maxReports:
		return nil, wrongUsage(tokens.TooLong, fmt.Sprintf("at most %d entries are taken at once", maxReports))
	}
	return body.Usage, nil
}

// usageFault separates JSON syntax errors from invalid reports.
func usageFault(err error, offset int64) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &jsonbody.SyntaxError{Reason: "the body is not JSON: " + err.Error(), Offset: syntax.Offset}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &jsonbody.SyntaxError{Reason: "the body ended before it was complete", Offset: offset}
	}
	return wrongUsage(tokens.InvalidValue, err.Error())
}

func wrongUsage(code tokens.FaultCode, detail string) error {
	return &bodyError{[]problem.Field{{Code: string(code), Pointer: "/usage", Detail: detail}}}
}
