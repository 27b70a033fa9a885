package endpoints

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Observe is called after each call: with the endpoint's name, the result
// and the duration. There are few results: those of a response
// (Result) and those of an error.
type Observe func(name, result string, took time.Duration)

// Result names the result of a call in metrics; "ok" stands for responses that
// do not.
type Result interface{ Result() string }

func observe(name string, tell Observe) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		if tell == nil {
			return next
		}
		return func(ctx context.Context, request any) (any, error) {
			start := time.Now()
			response, err := next(ctx, request)
			tell(name, result(response, err), time.Since(start))
			return response, err
		}
	}
}

func result(response any, err error) string {
	_, noPepper := errors.AsType[*tokens.PepperError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case noPepper:
		return "no_pepper"
	case errors.Is(err, tokens.ErrUnavailable):
		return "unavailable"
	case refused(err):
		return "refused"
	case err != nil:
		return "error"
	}
	if r, ok := response.(Result); ok {
		return r.Result()
	}
	return "ok"
}

// refused reports whether err is the caller's own fault.
func refused(err error) bool {
	_, unreadable := errors.AsType[*UnreadableError](err)
	_, lacking := errors.AsType[*PermissionError](err)
	_, invalid := errors.AsType[*tokens.ValidationError](err)
	_, late := errors.AsType[*tokens.StateError](err)
	_, repeated := errors.AsType[*tokens.RepeatedError](err)
	return unreadable || lacking || invalid || late || repeated || errors.Is(err, tokens.ErrKeyReused) ||
		errors.Is(err, ErrInvalidToken) || errors.Is(err, tokens.ErrNotFound) || errors.Is(err, tokens.ErrForbidden)
}

// recovery makes a panic an error. Its text is for the log and no client.
func recovery(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (response any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			}
		}()
		return next(ctx, request)
	}
}
