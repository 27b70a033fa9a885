package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/api/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// table maps errors to problems by the first row that matches. Errors that match
// none are internal.
var table = []struct {
	status int
	code   string
	match  func(error) (fault, bool)
}{
	{http.StatusUnauthorized, "missing_identity", is(assertion.ErrMissing, assertion.ErrMissing.Error())},
	{http.StatusForbidden, "insufficient_permission", as[*assertion.PermissionError]},
	{http.StatusNotFound, "not_found", is(shipments.ErrNoDocument, "the shipment has no such document")},
	{http.StatusNotFound, "not_found", is(shipments.ErrNoPage, "the document has no such page, or it cannot be shown")},
	{http.StatusNotFound, "not_found", is(shipments.ErrNoFile,
		"the file of the document is missing; an operator can restore it from a backup, and unless the shipment is "+
			"approved the document can be deleted and attached again")},
	{http.StatusNotFound, "not_found", is(webhooks.ErrNotFound, "there is no such webhook endpoint")},
	{http.StatusNotFound, "not_found", is(shipments.ErrNoTemplate, "there is no such mapping template")},
	{http.StatusNotFound, "not_found", is(shipments.ErrNotFound, "there is no such shipment")},
	{http.StatusBadRequest, query.UnknownParameter, allOf[*query.Error](query.UnknownParameter)},
	{http.StatusBadRequest, query.InvalidParameter, as[*query.Error]},
	{http.StatusGone, "events_expired", as[*shipments.ExpiredError]},
	{http.StatusGone, "events_reset", as[*shipments.ResetError]},
	{http.StatusPreconditionFailed, "etag_mismatch", is(shipments.ErrVersion,
		"the ETag does not fulfil If-Match or If-None-Match; get the resource again")},
	{http.StatusConflict, "invalid_transition", as[*shipments.TransitionError]},
	{http.StatusConflict, "checks_failing", as[*shipments.ChecksFailingError]},
	{http.StatusConflict, "duplicate_document", as[*shipments.DuplicateError]},
	{http.StatusConflict, "not_reprocessable", is(shipments.ErrNotReadAgain,
		"the document has no file that is read: it was given by its pallets, or files of its kind are only stored")},
	{http.StatusConflict, "too_many_webhook_endpoints", is(webhooks.ErrTooMany,
		fmt.Sprintf("the organization has %d webhook endpoints; that is the maximum", webhooks.MaxEndpoints))},
	{http.StatusConflict, "too_many_webhook_secrets", is(webhooks.ErrTooManySecrets,
		fmt.Sprintf("the endpoint has %d secrets that sign; rotate again once the oldest has ended, 24 hours after it was "+
			"replaced, or create another endpoint", webhooks.MaxSecrets))},
	{http.StatusConflict, "too_many_mapping_templates", is(shipments.ErrTooManyTemplates,
		fmt.Sprintf("the organization has %d mapping templates; that is the maximum", shipments.MaxTemplates))},
	{http.StatusConflict, "webhook_endpoint_disabled", is(webhooks.ErrDisabled,
		"nothing is sent to this endpoint while it is disabled; set its status to enabled first")},
	{http.StatusConflict, "secret_already_shown", as[*secretShownError]},
	{http.StatusConflict, "idempotency_in_progress", is(shipments.ErrKeyInProgress,
		"a request with this Idempotency-Key is in progress; try again after the seconds in Retry-After")},
	{http.StatusRequestedRangeNotSatisfiable, "range_not_satisfiable", is(errRange,
		errRange.Error()+"; its size is in Content-Range")},
	{http.StatusUnprocessableEntity, "idempotency_key_reused", is(shipments.ErrKeyReused,
		"this Idempotency-Key was used with another body; use a new key for each request")},
	{http.StatusBadRequest, "invalid_header", as[*idempotency.HeaderError]},
	{http.StatusUnsupportedMediaType, "unsupported_media_type", as[*jsonbody.MediaTypeError]},
	{http.StatusRequestEntityTooLarge, "body_too_large", as[*http.MaxBytesError]},
	{http.StatusRequestEntityTooLarge, "body_too_large", is(errFileTooLarge, errFileTooLarge.Error())},
	{http.StatusRequestEntityTooLarge, "body_too_large", is(errManyValues, errManyValues.Error())},
	{http.StatusRequestTimeout, "upload_too_slow", is(errSlow, errSlow.Error()+"; send it again")},
	{http.StatusBadRequest, "malformed_form", is(errForm, errForm.Error())},
	{http.StatusBadRequest, "malformed_json", as[*jsonbody.SyntaxError]},
	{http.StatusUnprocessableEntity, "too_many_pallets", allOf[*jsonbody.LimitError](string(shipments.TooManyPallets))},
	{http.StatusUnprocessableEntity, "validation_failed", as[*jsonbody.LimitError]},
	{http.StatusUnprocessableEntity, "unknown_field", allOf[*shipments.Invalid](string(shipments.UnknownField))},
	{http.StatusUnprocessableEntity, "too_many_pallets", allOf[*shipments.Invalid](string(shipments.TooManyPallets))},
	{
		http.StatusUnprocessableEntity, "unsupported_document",
		allOf[*shipments.Invalid](string(shipments.UnsupportedDocument)),
	},
	{http.StatusUnprocessableEntity, "validation_failed", as[*shipments.Invalid]},
	{http.StatusTooManyRequests, "too_many_large_requests", is(limit.ErrShare,
		"too many requests of the organization are in progress; try again after the seconds in Retry-After")},
	{http.StatusServiceUnavailable, "service_overloaded", is(limit.ErrTotal,
		"too many requests are in progress; try again after the seconds in Retry-After")},
	{http.StatusUnprocessableEntity, "search_too_broad", is(shipments.ErrTooBroad,
		fmt.Sprintf("more than %d shipments or pallets have this text; search for a longer one", shipments.MaxMatches))},
	{http.StatusServiceUnavailable, "unavailable", is(context.DeadlineExceeded,
		"the request took too long; try again after the seconds in Retry-After")},
	{http.StatusServiceUnavailable, "unavailable", is(shipments.ErrUnavailable,
		"the service is temporarily unavailable; try again after the seconds in Retry-After")},
}

// retryAfter is how many seconds a client should wait. Problems with the status 503 have one in any case.
var retryAfter = map[string]int{"idempotency_in_progress": 1, "too_many_large_requests": 5}

// codeWords writes the parts of a code as people do.
var codeWords = strings.NewReplacer("_", " ", "json", "JSON", "etag", "ETag")

// title returns the title of a problem: its code in words.
func title(code string) string {
	words := codeWords.Replace(code)
	return strings.ToUpper(words[:1]) + words[1:]
}

// internalError is the problem of an unexpected error.
var internalError = problem.New(http.StatusInternalServerError, "internal_error", "Internal error",
	"an unexpected error occurred; it is logged under the request_id")

// fault is the public part of an error.
type fault struct {
	detail string
	fields []problem.Field
	extra  map[string]any
}

// Problem returns the problem of an error.
func Problem(err error) problem.Problem {
	for _, row := range table {
		if f, ok := row.match(err); ok {
			p := problem.New(row.status, row.code, title(row.code), f.detail)
			p.Errors, p.Extra, p.RetryAfter = f.fields, f.extra, retryAfter[row.code]
			return p
		}
	}
	return internalError
}

// Code is the result of a request that failed in metrics: a problem's code, or "canceled"
// where the client closed the connection.
func Code(err error) string {
	if errors.Is(err, context.Canceled) {
		return "canceled"
	}
	return Problem(err).Code
}

// fail responds with the problem of an error.
func (rt router) fail(ctx context.Context, err error, w http.ResponseWriter) {
	r := callerOf(ctx).request
	// The deadline by which an upload gives way ends the context, too; its client is still there.
	if errors.Is(r.Context().Err(), context.Canceled) && !errors.Is(err, errSlow) {
		w.WriteHeader(httpserver.StatusClientGone)
		return
	}
	p := Problem(err)
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="shipments"`)
	case http.StatusForbidden:
		if e, ok := errors.AsType[*assertion.PermissionError](err); ok {
			w.Header().Set("WWW-Authenticate", e.Challenge("shipments"))
		}
	case http.StatusServiceUnavailable:
		httpserver.Explain(w, err)
	case http.StatusInternalServerError:
		rt.log.LogAttrs(ctx, slog.LevelError, "unforeseen error",
			append(logAttrs(r), slog.String("error", err.Error()))...)
	}
	p.Write(w, r)
}

// is matches a sentinel error. Its text is for clients; the error's own may
// say more than they should see.
func is(target error, detail string) func(error) (fault, bool) {
	return func(err error) (fault, bool) {
		return fault{detail: detail}, errors.Is(err, target)
	}
}

// as matches a type of error whose text, and fields if it has any, are made
// for clients.
func as[E error](err error) (fault, bool) {
	e, ok := errors.AsType[E](err)
	if !ok {
		return fault{}, false
	}
	switch e := any(e).(type) {
	case *query.Error:
		return fault{detail: e.Error(), fields: e.Faults}, true
	case *http.MaxBytesError:
		return fault{detail: fmt.Sprintf("the body may have at most %d bytes", e.Limit)}, true
	case *jsonbody.LimitError:
		return fault{detail: problem.Summary(1, "field"), fields: []problem.Field{e.Fault}}, true
	case *shipments.Invalid:
		fields := each(e.Faults, func(f shipments.Fault) problem.Field {
			return problem.Field{Code: string(f.Code), Pointer: f.Pointer, Detail: f.Detail}
		})
		return fault{detail: problem.Summary(len(fields), "field"), fields: fields}, true
	case *shipments.TransitionError:
		return fault{detail: e.Error(), extra: map[string]any{"allowed_actions": e.Allowed}}, true
	case *shipments.DuplicateError:
		return fault{detail: e.Error(), extra: map[string]any{"document_id": DocumentIDs.Format(e.ID)}}, true
	case *shipments.ExpiredError:
		return fault{detail: e.Error(), extra: map[string]any{"oldest_sequence": e.First}}, true
	case *shipments.ResetError:
		return fault{detail: e.Error(), extra: map[string]any{"newest_sequence": e.Head}}, true
	case *shipments.ChecksFailingError:
		return fault{detail: e.Error(), extra: map[string]any{"failing_checks": e.Checks}}, true
	default:
		return fault{detail: e.(error).Error()}, true
	}
}

// allOf matches a type of error that has nothing but faults of one code.
func allOf[E error](code string) func(error) (fault, bool) {
	return func(err error) (fault, bool) {
		f, ok := as[E](err)
		return f, ok && problem.AllOf(f.fields, code)
	}
}
