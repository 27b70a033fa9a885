package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// passwordForm is the page for changing a password.
type passwordForm struct {
	faults
	// Temporary means that the present password came from an operator.
	Temporary bool
}

func passwordAnswer(f passwordForm) answer { return page("password", "Change password", f) }

func (s *site) showPassword(_ context.Context, v *visit) (answer, error) {
	if !s.Passwords {
		return errorPage(http.StatusNotFound), nil
	}
	return passwordAnswer(passwordForm{Temporary: v.user.PasswordTemporary}), nil
}

func (s *site) changePassword(ctx context.Context, v *visit) (answer, error) {
	if !s.Passwords {
		return errorPage(http.StatusNotFound), nil
	}
	f := passwordForm{Temporary: v.user.PasswordTemporary}
	current, password := v.PostForm.Get("current"), v.PostForm.Get("password")
	if current == "" {
		f.add("current", "Enter your current password.")
	}
	if password == "" {
		f.add("password", "Enter a new password.")
	}
	if len(f.faults) > 0 {
		return passwordAnswer(f).as(http.StatusUnprocessableEntity), nil
	}
	user, err := s.People.ChangePassword(ctx, v.user.ID, current, password, v.client())
	if a, ok := refused(err, "current", func(all faults) answer { return passwordAnswer(passwordForm{all, f.Temporary}) }); ok {
		return a, nil
	}
	if errors.Is(err, people.ErrRefused) {
		f.add("current", "Incorrect current password.")
		return passwordAnswer(f).as(http.StatusUnprocessableEntity), nil
	}
	if err != nil {
		return answer{}, err
	}
	const unsaved = "/sign-in?changed=1"
	a, err := s.startSessionWithPassword(ctx, user, "/settings/sessions")
	if err != nil {
		return redirect(unsaved), nil //nolint:nilerr // the password is changed
	}
	s.notify(ctx, "Your password was changed. You were signed out of all other sessions.")
	a.unsaved = unsaved
	return a, nil
}
