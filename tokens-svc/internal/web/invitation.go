package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// invitationForm is the page on which an invited person enters the code.
type invitationForm struct {
	faults
	Email, Name string
}

func (f invitationForm) with(all faults) answer {
	f.faults = all
	return page("invitation", "Accept an invitation", f)
}

func (s *site) showInvitation(context.Context, *visit) (answer, error) {
	if !s.Passwords {
		return redirect("/sign-in"), nil
	}
	return invitationForm{}.with(nil), nil
}

func (s *site) acceptInvitation(ctx context.Context, v *visit) (answer, error) {
	if !s.Passwords {
		return errorPage(http.StatusNotFound), nil
	}
	f := invitationForm{Email: v.PostForm.Get("email"), Name: v.PostForm.Get("name")}
	a := people.Acceptance{
		Email: f.Email, Name: f.Name, Code: v.PostForm.Get("code"), Password: v.PostForm.Get("password"),
	}
	for _, field := range []struct{ id, value, text string }{
		{"email", a.Email, "Enter the invited e-mail address."},
		{"code", a.Code, "Enter the invitation code."},
		{"password", a.Password, "Enter a password."},
	} {
		if field.value == "" {
			f.add(field.id, field.text)
		}
	}
	again := func(status int) answer { return f.with(f.faults).as(status) }
	if len(f.faults) > 0 {
		return again(http.StatusUnprocessableEntity), nil
	}
	user, org, err := s.People.Accept(ctx, a, v.client())
	if a, ok := refused(err, "email", f.with); ok {
		return a, nil
	}
	switch {
	case errors.Is(err, people.ErrCode):
		f.add("code", "This code isn't valid for this e-mail address. The invitation may have been used, withdrawn, replaced, or expired after 7 days.")
		return again(http.StatusUnprocessableEntity), nil
	case errors.Is(err, people.ErrRefused):
		f.add("password", "An account with this e-mail address already exists. Enter its password; the invitation doesn't change it. "+
			"If you didn't create that account, ask your Quayside administrator to verify your address.")
		return again(http.StatusUnprocessableEntity), nil
	case errors.Is(err, people.ErrAccountUnverified):
		f.add("email", "An account with this e-mail address exists, but its address isn't verified, so it can't join another organization. "+
			"Ask your Quayside administrator to verify your address, then accept the invitation with the new password.")
		return again(http.StatusConflict), nil
	case errors.Is(err, people.ErrDisabled):
		f.add("email", disabledText)
		return again(http.StatusForbidden), nil
	case err != nil:
		return answer{}, err
	}
	return s.startSessionWithPassword(ctx, user, "/settings/"+string(org)+"/api")
}
