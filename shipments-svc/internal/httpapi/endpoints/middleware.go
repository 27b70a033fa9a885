package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Observe is called after each request: with the operation, its error, if any,
// and its duration.
type Observe func(operation string, err error, took time.Duration)

// decoded is a Request after its Decode.
type decoded struct {
	org     shipments.OrgID
	request any
	took    time.Duration // without waiting for the client
}

func decoding(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		r := request.(Request)
		start := time.Now()
		d, err := r.Decode()
		if err != nil {
			return nil, err
		}
		return next(ctx, decoded{r.Org, d, time.Since(start) - r.Waited()})
	}
}

// Waiter is a request that may take longer than the budget, by the duration that
// Waits returns: it waits for a change, or it is a large one.
type Waiter interface{ Waits() time.Duration }

func limiting(budget time.Duration) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			d := request.(decoded)
			allowed := budget - d.took
			if w, ok := d.request.(Waiter); ok {
				allowed += w.Waits()
			}
			ctx, cancel := context.WithTimeout(ctx, allowed)
			defer cancel()
			return next(ctx, request)
		}
	}
}
