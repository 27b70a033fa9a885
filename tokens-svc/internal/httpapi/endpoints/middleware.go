package endpoints

import (
	"context"
	"errors"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/api/middleware"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Observe is called after each introspection with its result. There are few
// results: those of a response (Result) and those of an error.
type Observe func(result string)

// Result is a response that names its result in metrics.
type Result interface{ Result() string }

// Observed returns an endpoint whose results are observed.
func Observed(e endpoint.Endpoint, observe Observe) endpoint.Endpoint {
	return middleware.Observe(func(response any, err error, _ time.Duration) { observe(result(response, err)) })(e)
}

func result(response any, err error) string {
	_, noPepper := errors.AsType[*tokens.PepperError](err)
	_, unreadable := errors.AsType[*UnreadableError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case noPepper:
		return "no_pepper"
	case errors.Is(err, tokens.ErrUnavailable):
		return "unavailable"
	case unreadable:
		return "refused"
	case err != nil:
		return "error"
	default:
		return response.(Result).Result()
	}
}
