package web

import (
	"context"
	"net/http"
	"net/netip"
)

// find returns the token of the visit as a row.
func (s *site) find(ctx context.Context, v *visit) (tokenRow, error) {
	t, err := s.Tokens.Token(ctx, v.org(), v.token())
	if err != nil {
		return tokenRow{}, err
	}
	usage, err := s.Tokens.Usage(ctx, v.org(), t.ID)
	if err != nil {
		return tokenRow{}, err
	}
	return rowOf(v, s, t, usage[t.ID]), nil
}

func (s *site) showToken(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	return page("token", row.Name, row).in("api"), err
}

// firstUse reports to the page of a new token whether the token was used.
func (s *site) firstUse(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err != nil {
		return answer{}, err
	}
	var found struct {
		Used    bool       `json:"used"`
		At      string     `json:"at,omitempty"`
		Address netip.Addr `json:"address,omitzero"`
	}
	if used := (moment{At: row.Usage.LastUsedAt}); used.Known() {
		found.Used, found.At, found.Address = true, used.ISO(), row.Usage.Address
	}
	return answer{status: http.StatusOK, json: found}, nil
}
