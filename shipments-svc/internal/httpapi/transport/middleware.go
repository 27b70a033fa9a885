package transport

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/go-kit/kit/endpoint"
	kithttp "github.com/go-kit/kit/transport/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// method is a method of a service: it takes an organization and a request, and
// returns a response.
type method[Req, Res any] func(context.Context, shipments.OrgID, Req) (Res, error)

// handle adds a route of Access: decode, do and encode must fit together to compile.
func handle[Req, Res any](
	rt router, pattern string, decode func(*http.Request) (Req, error), do method[Req, Res],
	encode func(*http.Request, Res) reply,
) {
	needs, ok := Access[pattern]
	if !ok {
		panic(pattern + " is not in the authorization table")
	}
	rt.Handle(pattern, kithttp.NewServer(
		limited(rt.config.Timeout)(makeEndpoint(do)),
		func(ctx context.Context, r *http.Request) (any, error) {
			c := callerOf(ctx)
			c.request = r
			if err := cmp.Or(c.err, assertion.Require(string(needs), c.Permissions)); err != nil {
				return nil, err // before anything is read of the request
			}
			return decode(r)
		},
		func(ctx context.Context, w http.ResponseWriter, response any) error {
			c := callerOf(ctx)
			re := encode(c.request, response.(Res))
			if c.replayed {
				w.Header().Set(idempotency.Replayed, "true")
			}
			return re.write(w, c.request)
		},
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) {
			rt.config.Failed(pattern, err)
			rt.fail(ctx, err, w)
		}),
	))
}

// makeEndpoint returns the endpoint of a method, for the organization of the caller.
func makeEndpoint[Req, Res any](do method[Req, Res]) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := callerOf(ctx)
		response, err := do(ctx, c.org, request.(Req))
		return response, beneath(c.at, err)
	}
}

// waiter is a decoded request that may take longer than the timeout, by the duration
// that Waits returns: it waits for a change, or it is a large one.
type waiter interface{ Waits() time.Duration }

// limited is the middleware that bounds the time of a method. That of a slow client, before, does not count.
func limited(timeout time.Duration) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			most := timeout
			if w, ok := request.(waiter); ok {
				most += w.Waits()
			} else if callerOf(ctx).key != nil { // a change, as an Order is
				most += shipments.Order{}.Waits()
			}
			ctx, cancel := context.WithTimeout(ctx, most)
			defer cancel()
			return next(ctx, request)
		}
	}
}
