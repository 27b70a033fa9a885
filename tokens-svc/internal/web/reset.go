package web

import (
	"context"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// emailForm is a form with an e-mail address.
type emailForm struct {
	pages.Faults
	Email string
}

func forgotPage(v *visit) answer {
	return page("forgot", "Reset your password", &emailForm{Email: v.PostForm.Get("email")})
}

func resetPage(v *visit) answer {
	return page("reset", "Choose a new password", &emailForm{Email: v.PostForm.Get("email")})
}

func verifyPage(*visit) answer {
	return page("verify", "Verify your e-mail address", new(pages.Faults))
}

// show returns the route that shows a form.
func show(form func(*visit) answer) func(*site, context.Context, *visit) (answer, error) {
	return func(_ *site, _ context.Context, v *visit) (answer, error) { return form(v), nil }
}

// Refusals of the forms for mailed codes.
var (
	wrongCode = refusal{people.ErrCode, "code",
		"This code isn't valid. It works once, within 30 minutes, and only the newest one does."}
	unsent = refusal{people.ErrMail, "code", "The mail could not be sent. Try again in a few minutes."}
)

// requestReset answers alike whether there is such an account or not.
func (s *site) requestReset(ctx context.Context, v *visit) (answer, error) {
	if empty := v.empty("email"); empty != nil {
		return forgotPage(v).with(empty...), nil
	}
	if err := s.People.RequestReset(ctx, v.PostForm.Get("email"), v.client()); err != nil {
		return refused(err, "email", forgotPage(v))
	}
	return resetPage(v), nil
}

func (s *site) resetPassword(ctx context.Context, v *visit) (answer, error) {
	if empty := v.empty("email", "code", "password"); empty != nil {
		return resetPage(v).with(empty...), nil
	}
	email, code, password := v.PostForm.Get("email"), v.PostForm.Get("code"), v.PostForm.Get("password")
	if err := s.People.ResetPassword(ctx, email, code, password, v.client()); err != nil {
		return refused(err, "code", resetPage(v), wrongCode)
	}
	return redirect("/sign-in?reset=1"), nil
}

func (s *site) requestVerification(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.RequestVerification(ctx, v.user, v.client()); err != nil {
		return refused(err, "code", verifyPage(v), unsent)
	}
	return s.done(ctx, nil, "/settings/verify", "A code was sent to "+v.user.Email+".")
}

func (s *site) verifyAddress(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.VerifyAddress(ctx, v.user, v.PostForm.Get("code"), v.client()); err != nil {
		return refused(err, "code", verifyPage(v), wrongCode)
	}
	return s.done(ctx, nil, "/settings", "Your e-mail address is verified.")
}
