// Package endpoints makes the service's methods into go-kit endpoints and gives
// all of them the same middleware.
//
// Guarantees: every call is measured under the name of its endpoint, survives a
// panic in the service, and has a time limit, counted from when its request was
// read; for a token that is not good, or lacks the permission, nothing is read,
// let alone done; errors come back as errors and never inside a response.
package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"
)

// Config is what the middleware needs.
type Config struct {
	Timeout time.Duration // of each call
	Observe Observe       // zero: nobody is told
}

// Request is what a transport hands to an endpoint.
type Request struct {
	Caller Caller // zero where the caller is a gateway
	// Decode reads what is asked. It is called once the caller is known to be
	// allowed to ask, so that nobody else is told what is wrong with it.
	Decode func() (any, error)
}

// ForGateways returns the endpoint of a method that gateways call for
// themselves. A transport has made sure that they are gateways.
func ForGateways[Req, Res any](c Config, name string, method func(context.Context, Req) (Res, error)) endpoint.Endpoint {
	return endpoint.Chain(observe(name, c.Observe), recovery)(func(ctx context.Context, message any) (any, error) {
		request, err := decode(message.(Request))
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		return method(ctx, request.(Req))
	})
}

// Method is what a token asks for: by whom, what, and the answer.
type Method[Req, Res any] func(context.Context, Principal, Req) (Res, error)

// ForTokens returns the endpoint of a method that a token calls, through a
// gateway.
func ForTokens[Req, Res any](c Config, s Admission, name string, needs Need, method Method[Req, Res]) endpoint.Endpoint {
	return endpoint.Chain(observe(name, c.Observe), recovery)(func(ctx context.Context, message any) (any, error) {
		r := message.(Request)
		principal, err := admit(ctx, c, s, r.Caller, needs)
		if err != nil {
			return nil, err
		}
		request, err := decode(r)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		return method(ctx, principal, request.(Req))
	})
}

func decode(r Request) (any, error) {
	request, err := r.Decode()
	if err != nil {
		return nil, &UnreadableError{err}
	}
	return request, nil
}

// UnreadableError is what is wrong with a request that could not be read.
type UnreadableError struct{ error }

// Unwrap returns what Decode returned.
func (e *UnreadableError) Unwrap() error { return e.error }
