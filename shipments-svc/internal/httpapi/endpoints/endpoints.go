// Package endpoints makes a go-kit endpoint of a method of the domain's
// Service, with all that is the same for every one of them.
//
// Guarantees, in the order in which a request meets them: each request is
// observed once, with its error; a panic ends that request only, as an error;
// nothing is decoded, let alone done, for a caller who lacks the permission;
// decoding and the method have Wiring.Budget together, and what a Waiter takes,
// without the time in which the client was waited for, so that a slow client does
// not use up the database's time.
//
// Errors are returned as errors. The package knows no transport and no
// storage.
package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/middleware"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Request is what a transport hands to an endpoint.
type Request struct {
	Org         shipments.OrgID
	Permissions []string // all that the caller's token holds
	// Decode reads what is d. It is called once the caller is known to be
	// allowed to ask, so that he alone is told what is wrong with it.
	Decode func() (any, error)
	// Waited is for how long Decode has waited for the client to send.
	Waited func() time.Duration
}

// Wiring is what every endpoint has in common.
type Wiring struct {
	Budget  time.Duration // for decoding a request and one call of a method
	Observe Observe
}

// Method is a method of a service: what it is d to do for an
// organization, and its answer.
type Method[Req, Res any] func(context.Context, shipments.OrgID, Req) (Res, error)

// New returns the endpoint of a method. operation names it in observations.
func New[Req, Res any](w Wiring, operation string, needs Permission, method Method[Req, Res]) endpoint.Endpoint {
	return endpoint.Chain(
		middleware.Observe(func(_ any, err error, took time.Duration) { w.Observe(operation, err, took) }),
		middleware.Recover,
		permitting(needs),
		decoding,
		limiting(w.Budget),
	)(func(ctx context.Context, request any) (any, error) {
		d := request.(decoded)
		return method(ctx, d.org, d.request.(Req))
	})
}
