package endpoints

import (
	"context"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Introspection is the result for a presented token.
type Introspection struct{ tokens.Introspection }

// Result implements Result: introspections are counted by their outcome.
func (i Introspection) Result() string { return string(i.Outcome) }

// Introspect looks up a presented token; the zero Secret is a text
// that is none.
func Introspect(s interface {
	Introspect(ctx context.Context, presented tokens.Secret) (tokens.Introspection, error)
},
) func(context.Context, tokens.Secret) (Introspection, error) {
	return func(ctx context.Context, presented tokens.Secret) (Introspection, error) {
		found, err := s.Introspect(ctx, presented)
		return Introspection{found}, err
	}
}
