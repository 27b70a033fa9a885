package transport

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/tokens-svc/internal/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/identity"
	"github.com/quayside/quayside/tokens-svc/internal/ids"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/wire"
)

func decodeToken(_ context.Context, r *http.Request) (any, error) {
	id, err := identity.FromHeader(r.Header, ids.Parse)
	if err != nil {
		return nil, err
	}
	return endpoints.TokenRequest{
		Organization: tokens.OrgID(id.Organization),
		Token:        tokens.TokenID(id.Token),
	}, nil
}

func encodeToken(_ context.Context, w http.ResponseWriter, response any) error {
	found := response.(endpoints.TokenResponse)
	shown := wire.NewToken(found.Token, found.Status)
	shown.CreatedBy = nil // a person's name is nothing for whoever was given the token
	return writeJSON(w, struct {
		Token wire.Token `json:"token"`
	}{shown})
}
