// Package endpoints makes the service's methods into go-kit endpoints and gives
// all of them the same middleware.
//
// Guarantees: every call survives a panic in the service, and has a time limit, counted from when its request was
// read; for a token that is not good, or lacks the permission, nothing is read,
// let alone done; errors come back as errors and never inside a response.
package endpoints

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/gateway/servicekit/api/middleware"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Config has the settings of the middleware.
type Config struct {
	Timeout time.Duration // of each call
	Observe Observe       // of introspections
}

// Request is the input of an endpoint.
type Request struct {
	Caller Caller // zero where the caller is a gateway
	// Decode decodes the request. It is called after authorization,
	// so that only authorized callers see its faults.
	Decode func() (Input, error)
}

// Input is a decoded request.
type Input struct {
	Target tokens.TokenID // in the path; "": the route has none
	Key    *Key           // nil: none
	Value  any            // of the method's own type
}

// Method is an operation for tokens.
type Method[Req, Res any] func(context.Context, Call, Req) (Res, error)

// ForGateways returns the endpoint of a method that gateways call for
// themselves. A transport has made sure that they are gateways.
func ForGateways[Req, Res any](c Config, method func(context.Context, Req) (Res, error)) endpoint.Endpoint {
	return newEndpoint(c, func(context.Context, Caller) (Call, error) { return Call{}, nil },
		func(ctx context.Context, _ Call, input Req) (Res, error) { return method(ctx, input) })
}

// ForTokens returns the endpoint of a method that a token calls, through a
// gateway.
func ForTokens[Req, Res any](
	c Config, s *tokens.Service, needs tokens.Permission, method Method[Req, Res],
) endpoint.Endpoint {
	return newEndpoint(c, func(ctx context.Context, caller Caller) (Call, error) {
		return admit(ctx, c, s, caller, needs)
	}, method)
}

func newEndpoint[Req, Res any](
	c Config, admit func(context.Context, Caller) (Call, error), method Method[Req, Res],
) endpoint.Endpoint {
	return middleware.Recover(func(ctx context.Context, message any) (any, error) {
		r := message.(Request)
		call, err := admit(ctx, r.Caller)
		if err != nil {
			return nil, err
		}
		input, err := r.Decode()
		if err != nil {
			return nil, &UnreadableError{err}
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		call.Target, call.Key = input.Target, input.Key
		return method(ctx, call, input.Value.(Req))
	})
}

// UnreadableError is an error of decoding a request.
type UnreadableError struct{ error }

// Unwrap returns Decode's error.
func (e *UnreadableError) Unwrap() error { return e.error }

// Key is the Idempotency-Key of a request, as the client sent it.
type Key struct {
	Operation   string // method and path
	Text        string
	Fingerprint [sha256.Size]byte // of the body
}

// Keyed returns the principal with the request's key, if it has one. The key
// belongs to the caller's partition, so those of test and live tokens are apart, and
// to the subject, the token that the request is about.
func (c Call) Keyed(now time.Time, subject ...string) tokens.Principal {
	if c.Key == nil {
		return c.Principal
	}
	parts := append([]string{string(c.Token.Partition()), c.Key.Operation, c.Key.Text}, subject...)
	return c.WithKey(tokens.NewKey(c.Key.Fingerprint, now, parts...))
}
