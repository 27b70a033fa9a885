package web

import (
	"context"
	"errors"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// handOver makes the organization the owner of a token.
func (s *site) handOver(ctx context.Context, v *visit) (answer, error) {
	t, err := s.Tokens.UpdateToken(ctx, v.principal(), v.org(), v.token(), tokens.Patch{OfOrganization: true})
	if _, notActive := errors.AsType[*tokens.StateError](err); notActive {
		row, err := s.find(ctx, v)
		if err != nil {
			return answer{}, err
		}
		return s.notActive(v, row), nil
	}
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, t.Name+" ("+public(t)+") now belongs to the organization. It is no longer limited by a person's role.")
	return redirect(v.path("/api/" + string(t.ID))), nil
}
