package web

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
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

// findFor is find for a change that may reports to make sense.
func (s *site) findFor(ctx context.Context, v *visit, may func(tokenRow) bool) (tokenRow, error) {
	row, err := s.find(ctx, v)
	switch {
	case err != nil:
	case !v.principal().MayChange(row.Token):
		err = tokens.ErrForbidden
	case !may(row):
		err = &tokens.StateError{ID: row.ID}
	}
	return row, err
}

// notActive is the response to a change of a token that is no longer active.
func notActive(v *visit, id tokens.TokenID) answer {
	return problemPage(http.StatusConflict, pages.Problem{
		Heading: "Already done", Text: "The token is no longer active or was already rotated. No changes were made.",
		To: v.path("/api/" + string(id)), Link: "View token",
	}).in("api")
}

// shownEvents is how many events of a token its page shows.
const shownEvents = 20

// tokenPage is the page of a token, with its events for those who may read the audit log.
type tokenPage struct {
	tokenRow
	Events []eventRow
}

func (s *site) showToken(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	if err != nil {
		return answer{}, err
	}
	p := tokenPage{tokenRow: row}
	if mayReadAudit(v) {
		events, _, err := s.Tokens.AuditEvents(ctx, v.principal(), v.org(), tokens.AuditQuery{Target: string(row.ID)},
			tokens.Page{Number: 1, Size: shownEvents})
		if err != nil {
			return answer{}, err
		}
		p.Events = eventRows(events, s.Tokens.Now())
	}
	return page("token", row.Name, p).in("api"), nil
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

// handOver makes the organization the owner of a token.
func (s *site) handOver(ctx context.Context, v *visit) (answer, error) {
	t, err := s.Tokens.UpdateToken(ctx, v.principal(), v.org(), v.token(), tokens.Patch{OfOrganization: true})
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, t.Name+" ("+public(t)+") now belongs to the organization. It is no longer limited by a person's role.")
	return redirect(v.path("/api/" + string(t.ID))), nil
}
