// Package endpoints makes go-kit endpoints of the domain's methods, all with the
// same guarantees, in the order in which a request meets them: each request that
// fails is observed once, with its error; a request is neither decoded nor processed
// without the permission; the method has Wiring.Timeout, extended for a Waiter. It begins
// after decoding: a slow client, and the wait of a large request for its turn, do not
// count against it.
//
// Errors are returned as errors. The package knows no transport and no
// storage.
package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Request is the input of an endpoint.
type Request struct {
	Org         shipments.OrgID
	Permissions []string // of the caller's token
	// Decode reads the parameters and the body. It is called after the permission
	// check, so only callers with the permission learn what is wrong with them.
	Decode func() (any, error)
}

// Waiter is a decoded request that may take longer than the timeout, by the duration
// that Waits returns: it waits for a change, or it is a large one.
type Waiter interface{ Waits() time.Duration }

// Wiring is the configuration of all endpoints.
type Wiring struct {
	Timeout time.Duration // for one call of a method
	// Failed is called after each request that failed: with the operation and its error.
	Failed func(operation string, err error)
}

// Method is a method of a service: it takes an organization and a request, and
// returns a response.
type Method[Req, Res any] func(context.Context, shipments.OrgID, Req) (Res, error)

// New returns the endpoint of a method. operation names it in observations.
func New[Req, Res any](w Wiring, operation string, needs Permission, method Method[Req, Res]) endpoint.Endpoint {
	return func(ctx context.Context, request any) (_ any, err error) {
		defer func() {
			if err != nil {
				w.Failed(operation, err)
			}
		}()
		r := request.(Request)
		if err := assertion.Require(string(needs), r.Permissions); err != nil {
			return nil, err
		}
		decoded, err := r.Decode()
		if err != nil {
			return nil, err
		}
		timeout := w.Timeout
		if waiter, ok := decoded.(Waiter); ok {
			timeout += waiter.Waits()
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return method(ctx, r.Org, decoded.(Req))
	}
}
