package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Errors of HTTP only.
var (
	errCredential = errors.New("no good gateway credential")
	errForm       = errors.New("the form is not well formed or has not exactly one token")
)

// challenges are WWW-Authenticate of each 401.
//
//nolint:gosec // G101: the codes of problems, no credentials
var challenges = map[string]string{
	"missing_identity":   `Bearer realm="shipments"`,
	"invalid_token":      `Bearer realm="shipments", error="invalid_token"`,
	"invalid_credential": `Bearer realm="gateways"`,
}

// table maps errors to problems: the first row that matches. An error that no row matches is a fault of this program.
var table = []struct {
	status int
	code   string
	title  string
	detail func(error) (text string, matches bool)
}{
	{http.StatusUnauthorized, "missing_identity", "Missing identity", is(assertion.ErrMissing,
		"the request does not say for which organization it is made; send it through the gateway")},
	{http.StatusUnauthorized, "invalid_token", "Invalid API token", is(tokens.ErrInvalidToken,
		"the API token is not valid, or no longer; use another one")},
	{http.StatusUnauthorized, "invalid_credential", "Invalid credential", is(errCredential,
		"this endpoint is for gateways; send Authorization: Bearer with the gateway credential")},
	{http.StatusForbidden, "insufficient_permission", "Insufficient permission", as[*assertion.PermissionError]},
	{http.StatusForbidden, "insufficient_permission", "Insufficient permission", as[*tokens.ForbiddenError]},
	{http.StatusNotFound, "not_found", "Not found", is(tokens.ErrNotFound, "there is no such token")},
	{http.StatusConflict, "secret_already_shown", "Secret already shown", as[*tokens.RepeatedError]},
	{http.StatusConflict, "too_many_tokens", "Too many tokens", as[*tokens.TooManyError]},
	{http.StatusConflict, "token_rotated", "Token rotated", only((*tokens.StateError).Rotated)},
	{http.StatusConflict, "token_ended", "Token ended", as[*tokens.StateError]},
	{http.StatusUnprocessableEntity, "idempotency_key_reused", "Idempotency key reused", is(tokens.ErrKeyReused,
		"this Idempotency-Key was sent with another body; give each request a key of its own")},
	{http.StatusBadRequest, "invalid_header", "Invalid header", as[*idempotency.HeaderError]},
	{http.StatusBadRequest, query.UnknownParameter, "Unknown parameter", only(func(e *query.Error) bool {
		return problem.AllOf(e.Faults, query.UnknownParameter)
	})},
	{http.StatusBadRequest, query.InvalidParameter, "Invalid parameter", as[*query.Error]},
	{http.StatusUnsupportedMediaType, "unsupported_media_type", "Unsupported media type", as[*jsonbody.MediaTypeError]},
	{http.StatusRequestEntityTooLarge, "body_too_large", "Body too large", tooLarge},
	{http.StatusBadRequest, "invalid_request", "Invalid request", is(errForm,
		"the body must be a form with exactly one parameter token")},
	{http.StatusBadRequest, "malformed_json", "Malformed JSON", as[*jsonbody.SyntaxError]},
	{http.StatusUnprocessableEntity, jsonbody.UnknownField, "Unknown field", only(func(e *bodyError) bool {
		return problem.AllOf(e.faults, jsonbody.UnknownField)
	})},
	{http.StatusUnprocessableEntity, "validation_failed", "Validation failed", as[*bodyError]},
	{http.StatusTooManyRequests, "too_many_concurrent_requests", "Too many concurrent requests", is(limit.ErrShare,
		"the organization has as many changes and lists of its tokens in progress as one may have; send fewer at a time, "+
			"and try again after the seconds in Retry-After")},
	{http.StatusServiceUnavailable, "unavailable", "Unavailable", is(limit.ErrTotal, unavailable)},
	{http.StatusServiceUnavailable, "unavailable", "Unavailable", is(tokens.ErrUnavailable, unavailable)},
	{http.StatusServiceUnavailable, "unavailable", "Unavailable", is(context.DeadlineExceeded, unavailable)},
	{httpserver.StatusClientGone, "client_gone", "Client gone", is(context.Canceled,
		"the client did not wait for the answer")},
}

const unavailable = "tokens cannot be looked up at the moment; try again in a few seconds"

// is matches one error, whose text for clients is detail.
func is(target error, detail string) func(error) (string, bool) {
	return func(err error) (string, bool) { return detail, errors.Is(err, target) }
}

// as matches a type of errors, whose text is for clients.
func as[E error](err error) (string, bool) {
	return only(func(E) bool { return true })(err)
}

// only is as for some errors of the type.
func only[E error](matches func(E) bool) func(error) (string, bool) {
	return func(err error) (string, bool) {
		found, ok := errors.AsType[E](err)
		if !ok || !matches(found) {
			return "", false
		}
		return found.Error(), true
	}
}

func tooLarge(err error) (string, bool) {
	e, ok := errors.AsType[*http.MaxBytesError](err)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("the body may have at most %d bytes", e.Limit), true
}

// problemOf returns the problem of an error: an internal one if no row of the table is for it.
func problemOf(err error) problem.Problem {
	for _, row := range table {
		if detail, ok := row.detail(err); ok {
			return problem.New(row.status, row.code, row.title, detail)
		}
	}
	return problem.New(http.StatusInternalServerError, "internal_error", "Internal error",
		"something went wrong on our side; the request_id helps us find out what")
}

// fail answers with the problem of an error, with all that programs read of it. The cause of a 500 is
// logged here, that of a 503 in the access log. Anything that looks like a token in the answer, because a
// client put one where it does not belong, is cut down.
func fail(log *slog.Logger, w http.ResponseWriter, r *http.Request, err error) {
	if wrong, ok := errors.AsType[*tokens.ValidationError](err); ok {
		err = &bodyError{fieldsOf(wrong)}
	}
	p, h := problemOf(err), w.Header()
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", challenges[p.Code])
	case http.StatusInternalServerError:
		log.LogAttrs(r.Context(), slog.LevelError, p.Code,
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(r)))
	case http.StatusTooManyRequests:
		h.Set("Retry-After", strconv.Itoa(problem.RetryAfter))
		httpserver.Explain(w, err)
	case http.StatusServiceUnavailable:
		httpserver.Explain(w, err)
	}
	if e, ok := errors.AsType[*bodyError](err); ok {
		p.Errors = e.faults
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		p.Errors = e.Faults
	}
	if e, ok := errors.AsType[*assertion.PermissionError](err); ok {
		h.Set("WWW-Authenticate", e.Challenge("shipments"))
	}
	if e, ok := errors.AsType[*tokens.RepeatedError](err); ok {
		p.Extra = map[string]any{"token": e.Token}
	}
	if e, ok := errors.AsType[*tokens.StateError](err); ok && e.Rotated() {
		p.Extra = map[string]any{"successor": e.Successor}
		h.Set("Link", fmt.Sprintf("</api/v1/tokens/%s>; rel=%q", e.Successor, "successor-version")) // RFC 5829
	}
	h.Set("Cache-Control", "no-store")
	p.Detail = tokens.Scrub(p.Detail)
	for i, f := range p.Errors {
		p.Errors[i].Detail, p.Errors[i].Pointer, p.Errors[i].Parameter = tokens.Scrub(f.Detail),
			tokens.Scrub(f.Pointer), tokens.Scrub(f.Parameter)
	}
	p.Write(w, r)
}
