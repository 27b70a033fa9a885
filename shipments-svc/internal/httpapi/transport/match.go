package transport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/query"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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
	case *shipments.Invalid:
		return fault{detail: problem.Summary(len(e.Faults), "field"), fields: fieldsOf(e)}, true
	case *shipments.TransitionError:
		return fault{detail: e.Error(), extra: map[string]any{"allowed_actions": e.Allowed}}, true
	case *shipments.DuplicateError:
		return fault{detail: e.Error(), extra: map[string]any{"document_id": FormatDocumentID(e.ID)}}, true
	case *shipments.ExpiredError:
		return fault{detail: e.Error(), extra: map[string]any{"oldest_sequence": e.First}}, true
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
		return f, ok && only(code, f.fields)
	}
}

func bodyTooLarge(err error) (fault, bool) {
	e, ok := errors.AsType[*http.MaxBytesError](err)
	if !ok {
		return fault{}, false
	}
	return fault{detail: fmt.Sprintf("the body may have at most %d bytes", e.Limit)}, true
}

func only(code string, fields []problem.Field) bool {
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(f problem.Field) bool { return f.Code != code })
}

func fieldsOf(e *shipments.Invalid) []problem.Field {
	return each(e.Faults, func(f shipments.Fault) problem.Field {
		return problem.Field{Code: string(f.Code), Pointer: f.Pointer, Detail: f.Detail}
	})
}
