package web

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// revokeForm is the one question before a token is revoked, and before an
// overlap is ended, which is the same thing.
type revokeForm struct {
	pages.Faults
	tokenRow
	Reason   string
	Children int // how many active tokens were made with it
}

// Overlap reports whether there is a successor already.
func (f revokeForm) Overlap() bool { return f.RotatedTo != "" }

func (f revokeForm) answer() answer {
	title := "Revoke " + f.Name
	if f.Overlap() {
		title = "End the overlap of " + f.Name
	}
	return page("revoke", title, f).in("api")
}

func (s *site) showRevoke(ctx context.Context, v *visit) (answer, error) {
	row, err := s.findFor(ctx, v, func(row tokenRow) bool { return row.Revocable })
	if err != nil {
		return answer{}, err
	}
	return s.revokeForm(ctx, v, revokeForm{tokenRow: row})
}

// revokeForm is the page of a form, with the number of children.
func (s *site) revokeForm(ctx context.Context, v *visit, f revokeForm) (answer, error) {
	children, err := s.Tokens.Children(ctx, v.org(), f.ID)
	f.Children = len(children)
	return f.answer(), err
}

func (s *site) revoke(ctx context.Context, v *visit) (answer, error) {
	reason := v.PostForm.Get("reason")
	t, err := s.Tokens.RevokeToken(ctx, v.principal(), v.org(), v.token(), reason, v.PostForm.Get("children") == "true")
	if wrong := faultsOf(err); wrong != nil {
		row, err := s.find(ctx, v)
		if err != nil {
			return answer{}, err
		}
		a, err := s.revokeForm(ctx, v, revokeForm{Faults: wrong, tokenRow: row, Reason: tokens.Scrub(reason)})
		return a, err
	}
	if err != nil {
		return answer{}, err
	}
	s.notify(ctx, t.Name+" ("+public(t)+") was revoked. Requests with it are refused, usually within a second.")
	return redirect(v.path("/api")), nil
}
