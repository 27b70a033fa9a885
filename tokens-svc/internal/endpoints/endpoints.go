// Package endpoints makes the service's methods into go-kit endpoints and gives
// all of them the same middleware.
//
// Guarantees: every call has a time limit, is measured under the name of its
// endpoint, and survives a panic in the service; errors come back as errors and
// never inside a response.
package endpoints

import (
	"context"
	"time"

	"github.com/go-kit/kit/endpoint"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Service is what the endpoints need of the domain.
type Service interface {
	Introspect(ctx context.Context, presented tokens.Secret) (tokens.Introspection, error)
	Token(ctx context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error)
	Now() time.Time
}

// Config is what the middleware needs.
type Config struct {
	Timeout time.Duration // of each call
	Observe Observe       // zero: nobody is told
}

// Set is every endpoint of the program.
type Set struct {
	Introspect endpoint.Endpoint // IntrospectRequest → tokens.Introspection
	Token      endpoint.Endpoint // TokenRequest → TokenResponse
}

// New returns the endpoints over s.
func New(s Service, c Config) Set {
	chain := func(name string, e endpoint.Endpoint) endpoint.Endpoint {
		return endpoint.Chain(observe(name, c.Observe), recovery, timeout(c.Timeout))(e)
	}
	return Set{
		Introspect: chain("introspect", of(introspect(s))),
		Token:      chain("token", of(token(s))),
	}
}

// of makes a typed function into an endpoint. A request of another type is a
// fault in a transport's decode function; recovery reports it.
func of[Request, Response any](call func(context.Context, Request) (Response, error)) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		return call(ctx, request.(Request))
	}
}
