package endpoints

import (
	"context"
	"errors"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/api/middleware"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Observe is called after each call: with the endpoint's name, the result
// and the duration. There are few results: those of a response
// (Result) and those of an error.
type Observe func(name, result string, took time.Duration)

// Result names the result of a call in metrics; "ok" stands for responses that
// do not.
type Result interface{ Result() string }

func (c Config) observe(name string) endpoint.Middleware {
	return middleware.Observe(func(response any, err error, took time.Duration) {
		if c.Observe != nil {
			c.Observe(name, result(response, err), took)
		}
	})
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
