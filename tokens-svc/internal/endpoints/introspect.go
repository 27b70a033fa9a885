package endpoints

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// IntrospectRequest asks about a presented token.
type IntrospectRequest struct {
	Presented tokens.Secret // zero: the text that was presented is no token
}

// IntrospectResponse is what is known of it.
type IntrospectResponse struct{ tokens.Introspection }

// Result implements Result: introspections are counted by their outcome.
func (r IntrospectResponse) Result() string { return string(r.Outcome) }

func introspect(s Service) func(context.Context, IntrospectRequest) (IntrospectResponse, error) {
	return func(ctx context.Context, r IntrospectRequest) (IntrospectResponse, error) {
		found, err := s.Introspect(ctx, r.Presented)
		return IntrospectResponse{found}, err
	}
}
