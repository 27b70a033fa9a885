package web

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// passwordForm is the page for changing a password.
type passwordForm struct {
	pages.Faults
	// Temporary means that the present password came from an operator.
	Temporary bool
}

func (f passwordForm) with(all faults) answer {
	f.Faults = all
	return page("password", "Change password", f)
}

func (s *site) showPassword(_ context.Context, v *visit) (answer, error) {
	return passwordForm{Temporary: v.user.PasswordTemporary}.with(nil), nil
}

func (s *site) changePassword(ctx context.Context, v *visit) (answer, error) {
	f := passwordForm{Temporary: v.user.PasswordTemporary}
	if empty := v.empty(fault{Field: "current", Text: "Enter your current password."},
		fault{Field: "password", Text: "Enter a new password."}); empty != nil {
		return f.with(empty), nil
	}
	user, err := s.People.ChangePassword(ctx, v.user.ID, v.PostForm.Get("current"), v.PostForm.Get("password"), v.client())
	if err != nil {
		return refused(err, "current", f.with,
			refusal{people.ErrRefused, http.StatusUnprocessableEntity, "current", "Incorrect current password."})
	}
	a, err := s.afterPassword(ctx, user, "/settings/account") // a password alone proves nothing beside an app
	s.notify(ctx, "Your password was changed. You were signed out of all other sessions.")
	return a, err
}
