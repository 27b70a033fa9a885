package transport

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Media types of bodies.
const (
	plainJSON  = "application/json"
	mergePatch = "application/merge-patch+json" // RFC 7396
)

// bodyError is all faults of a body.
type bodyError struct{ faults []problem.Field }

// Error implements error.
func (e *bodyError) Error() string {
	return problem.Summary(len(e.faults), "field")
}

// limits bound the JSON of a body.
var limits = jsonbody.Limits{Elements: 1_000, Values: 5_000, Scalar: 16 << 10}

// decodeBody returns the decoder of a request without parameters, with a body that must be JSON, of one of these media
// types. A missing body is like {}: its faults name the members that are missing.
func decodeBody[Req any](
	read func(*jsonbody.Object) Req, types ...string,
) func(*http.Request) (Req, error) {
	return func(r *http.Request) (req Req, err error) {
		if err := query.Read(r).Err(); err != nil {
			return req, err
		}
		text, err := jsonbody.Read(r)
		switch {
		case err != nil:
		case len(text) == 0:
			text = []byte("{}")
		default:
			_, err = jsonbody.MediaType(r.Header, types...)
		}
		if err != nil {
			return req, err
		}
		body, err := jsonbody.Parse(text, limits)
		if beyond, ok := errors.AsType[*jsonbody.LimitError](err); ok {
			return req, &bodyError{[]problem.Field{beyond.Fault}}
		}
		if err != nil {
			return req, err
		}
		req = read(body.Object())
		if faults := body.Faults(); len(faults) > 0 {
			return req, &bodyError{faults}
		}
		return req, nil
	}
}

// fieldsOf returns the faults of a request that was understood.
func fieldsOf(e *tokens.ValidationError) []problem.Field {
	fields := make([]problem.Field, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = problem.Field{Code: string(f.Code), Pointer: pointer(f), Detail: f.Field + " " + f.Detail}
	}
	return fields
}

// inToken are the fields that stand in a body's member token. All others stand at the top.
var inToken = map[string]string{
	"name": "/token/name", "environment": "/token/environment", "permissions": "/token/permissions",
	"ip_allow": "/token/ip_allow", "expires_at": "/token/expires_at",
	"limit": "/token/rate_limit/limit", "window_seconds": "/token/rate_limit/window_seconds",
}

// pointer returns where in a body a field stands (RFC 6901).
func pointer(f tokens.FieldError) string {
	at, ok := inToken[f.Field]
	if !ok {
		at = "/" + f.Field
	}
	if f.Entry > 0 {
		at = fmt.Sprintf("%s/%d", at, f.Entry-1)
	}
	return at
}
