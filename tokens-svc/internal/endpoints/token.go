package endpoints

import (
	"context"
	"errors"
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// ErrNotGood says that the token that asks is not, or no longer, good. The
// gateway knows a moment later; here nothing is told to it even in that moment.
var ErrNotGood = errors.New("the token is not valid")

// TokenRequest is a token that asks about itself.
type TokenRequest struct {
	Organization tokens.OrgID
	Token        tokens.TokenID
}

// TokenResponse is the token, which is active.
type TokenResponse struct {
	Token  tokens.Token
	Status tokens.Status
}

// token answers nobody but a good token. One that is unknown, or of another
// organization than the gateway said, is refused like a revoked one: then the
// gateway and this program disagree, and the answer to that is no.
func token(s Service) func(context.Context, TokenRequest) (TokenResponse, error) {
	return func(ctx context.Context, r TokenRequest) (TokenResponse, error) {
		t, err := s.Token(ctx, r.Organization, r.Token)
		if errors.Is(err, tokens.ErrNotFound) {
			return TokenResponse{}, fmt.Errorf("%w: %w", ErrNotGood, err)
		}
		if err != nil {
			return TokenResponse{}, err
		}
		status := t.Status(s.Now())
		if status != tokens.StatusActive {
			return TokenResponse{}, fmt.Errorf("%w: %s", ErrNotGood, status)
		}
		return TokenResponse{Token: t, Status: status}, nil
	}
}
