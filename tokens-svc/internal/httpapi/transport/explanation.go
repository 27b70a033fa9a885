package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// explanation is the public part of an error.
type explanation struct {
	detail string
	fields []problem.Field
	extra  map[string]any
	header http.Header
}

// is matches one error, whose text for clients is detail.
func is(target error, detail string) func(error) (explanation, bool) {
	return func(err error) (explanation, bool) { return explanation{detail: detail}, errors.Is(err, target) }
}

// of matches a type of errors.
func of[E error](explain func(E) explanation) func(error) (explanation, bool) {
	return func(err error) (explanation, bool) {
		found, ok := errors.AsType[E](err)
		if !ok {
			return explanation{}, false
		}
		return explain(found), true
	}
}

// as matches a type of errors, whose text is for clients.
func as[E error](err error) (explanation, bool) {
	return of(func(e E) explanation { return explanation{detail: e.Error()} })(err)
}

func insufficientScope(e *assertion.PermissionError) explanation {
	return explanation{detail: e.Error(), header: http.Header{"Www-Authenticate": {e.Challenge()}}}
}

func forbidden(e *tokens.ForbiddenError) explanation { return explanation{detail: e.Detail} }

// repeated explains a repeated request whose answer had a secret.
func repeated(e *tokens.RepeatedError) explanation {
	return explanation{
		detail: "this request was done before and made token " + string(e.Token) +
			"; a secret is shown once and not stored. If it was lost, revoke that token and make another with a new " +
			"Idempotency-Key",
		extra: map[string]any{"token": e.Token},
	}
}

func rotated(err error) (explanation, bool) {
	e, ok := errors.AsType[*tokens.StateError](err)
	if !ok || e.Successor == "" {
		return explanation{}, false
	}
	return explanation{
		detail: e.Error(), extra: map[string]any{"successor": e.Successor},
		header: successorLink(e.Successor),
	}, true
}

func tooLarge(e *http.MaxBytesError) explanation {
	return explanation{detail: fmt.Sprintf("the body may have at most %d bytes", e.Limit)}
}

// parameter matches a query's errors; with a code, those that have no other.
func parameter(code string) func(error) (explanation, bool) {
	return func(err error) (explanation, bool) {
		e, ok := errors.AsType[*query.Error](err)
		if !ok || code != "" && !e.Only(code) {
			return explanation{}, false
		}
		return explanation{detail: e.Error(), fields: e.Faults}, true
	}
}

// unknownFields matches a body of which nothing is wrong but its members'
// names.
func unknownFields(err error) (explanation, bool) {
	e, ok := errors.AsType[*bodyError](err)
	if !ok || slices.ContainsFunc(e.faults, func(f problem.Field) bool { return f.Code != jsonbody.UnknownField }) {
		return explanation{}, false
	}
	return explanation{detail: e.Error(), fields: e.faults}, true
}

// invalid matches the faults of a body, from decoding or validation.
func invalid(err error) (explanation, bool) {
	if e, ok := errors.AsType[*bodyError](err); ok {
		return explanation{detail: e.Error(), fields: e.faults}, true
	}
	e, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok {
		return explanation{}, false
	}
	fields := make([]problem.Field, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = problem.Field{Code: string(f.Code), Pointer: pointer(f), Detail: f.Field + " " + f.Detail}
	}
	return explanation{detail: (&bodyError{fields}).Error(), fields: fields}, true
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
