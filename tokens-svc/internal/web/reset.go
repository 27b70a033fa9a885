package web

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// codeForm is a page on which a mailed code is asked for or entered.
type codeForm struct {
	pages.Faults
	template, title string
	Email           string
}

func (f codeForm) with(all faults) answer {
	f.Faults = all
	return page(f.template, f.title, f)
}

func (s *site) forgotForm(v *visit) codeForm {
	return codeForm{template: "forgot", title: "Reset your password", Email: v.PostForm.Get("email")}
}

func (s *site) resetForm(v *visit) codeForm {
	return codeForm{template: "reset", title: "Choose a new password", Email: v.PostForm.Get("email")}
}

func (s *site) verifyForm(*visit) codeForm {
	return codeForm{template: "verify", title: "Verify your e-mail address"}
}

// show returns the route that shows a form.
func show(form func(*site, *visit) codeForm) func(*site, context.Context, *visit) (answer, error) {
	return func(s *site, _ context.Context, v *visit) (answer, error) {
		return form(s, v).with(nil), nil
	}
}

// wrongCode is the refusal of a code.
var wrongCode = refusal{
	people.ErrCode, http.StatusUnprocessableEntity, "code",
	"This code isn't valid. It works once, within 30 minutes, and only the newest one does.",
}

// requestReset answers alike whether there is such an account or not.
func (s *site) requestReset(ctx context.Context, v *visit) (answer, error) {
	f := s.forgotForm(v)
	if empty := v.empty(fault{Field: "email", Text: "Enter your e-mail address."}); empty != nil {
		return f.with(empty), nil
	}
	if err := s.People.RequestReset(ctx, f.Email, v.client()); err != nil {
		return refused(err, "email", f.with)
	}
	return s.resetForm(v).with(nil), nil
}

func (s *site) resetPassword(ctx context.Context, v *visit) (answer, error) {
	f := s.resetForm(v)
	empty := v.empty(fault{Field: "email", Text: "Enter your e-mail address."},
		fault{Field: "code", Text: "Enter the code."}, fault{Field: "password", Text: "Enter a new password."})
	if empty != nil {
		return f.with(empty), nil
	}
	err := s.People.ResetPassword(ctx, f.Email, v.PostForm.Get("code"), v.PostForm.Get("password"), v.client())
	if err != nil {
		return refused(err, "code", f.with, wrongCode)
	}
	return redirect("/sign-in?reset=1"), nil
}

func (s *site) requestVerification(ctx context.Context, v *visit) (answer, error) {
	f := s.verifyForm(v)
	if err := s.People.RequestVerification(ctx, v.user, v.client()); err != nil {
		return refused(err, "code", f.with, unsent)
	}
	s.notify(ctx, "A code was sent to "+v.user.Email+".")
	return redirect("/settings/verify"), nil
}

// unsent is a mail that the server did not take.
var unsent = refusal{
	people.ErrMail, http.StatusServiceUnavailable, "code", "The mail could not be sent. Try again in a few minutes.",
}

func (s *site) verifyAddress(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.VerifyAddress(ctx, v.user, v.PostForm.Get("code"), v.client()); err != nil {
		return refused(err, "code", s.verifyForm(v).with, wrongCode)
	}
	s.notify(ctx, "Your e-mail address is verified.")
	return redirect("/settings"), nil
}
