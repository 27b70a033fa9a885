package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Observe is told of each request when it was answered: the operation, its
// error, if any, and how long it took.
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

// Waiter is a request whose answer may take so much longer than the budget:
// because it waits for something to happen, or because it is a large one.
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
