package web

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// signInForm is the page on which people sign in.
type signInForm struct {
	faults
	Email     string
	Next      string
	Passwords bool // which ways there are
	Issuer    bool
	Hint      string // why the person was redirected here
}

func (s *site) signInPage(v *visit) signInForm {
	return signInForm{
		Email: v.PostForm.Get("email"), Next: safeNext(v.Form.Get("next")),
		Passwords: s.Passwords, Issuer: s.Issuer != nil,
	}
}

func signInAnswer(f signInForm) answer { return page("sign-in", "Sign in", f) }

func (f signInForm) with(all faults) answer {
	f.faults = all
	return signInAnswer(f)
}

func (s *site) showSignIn(_ context.Context, v *visit) (answer, error) {
	f := s.signInPage(v)
	if v.user.ID != "" {
		return redirect(f.Next), nil
	}
	switch {
	case v.Form.Has("changed"):
		f.Hint = "Your password was changed. Sign in with the new one."
	case v.Form.Has("ended") || v.ended:
		f.Hint = "Your session has ended. Sessions expire after 30 minutes of inactivity and after 12 hours. " +
			"Your last request was not carried out."
	case v.Form.Has("out"):
		f.Hint = "You have signed out."
	}
	return signInAnswer(f), nil
}

func (s *site) signIn(ctx context.Context, v *visit) (answer, error) {
	if !s.Passwords {
		return errorPage(http.StatusNotFound), nil
	}
	f := s.signInPage(v)
	password := v.PostForm.Get("password")
	if f.Email == "" {
		f.add("email", "Enter your e-mail address.")
	}
	if password == "" {
		f.add("password", "Enter your password.")
	}
	if len(f.faults) > 0 {
		return signInAnswer(f).as(http.StatusUnprocessableEntity), nil
	}
	user, err := s.People.SignIn(ctx, f.Email, password, v.client())
	if a, ok := refused(err, "email", f.with); ok {
		return a, nil
	}
	if errors.Is(err, people.ErrRefused) {
		f.add("email", "Incorrect e-mail address or password.")
		return signInAnswer(f).as(http.StatusUnprocessableEntity), nil
	}
	if errors.Is(err, people.ErrDisabled) {
		f.add("email", disabledText)
		return signInAnswer(f).as(http.StatusForbidden), nil
	}
	if err != nil {
		return answer{}, err
	}
	return s.startSessionWithPassword(ctx, user, f.Next)
}

const disabledText = "This account is disabled. Contact your Quayside administrator."

// startSessionWithPassword is startSession for a sign-in that makes the browser a known device.
// on.
func (s *site) startSessionWithPassword(ctx context.Context, user people.User, next string) (answer, error) {
	a, err := s.startSession(ctx, user, next)
	if err != nil {
		return answer{}, err
	}
	return s.rememberDevice(ctx, a, user)
}

// startSession signs a person in, redirects, and mentions an open invitation.
func (s *site) startSession(ctx context.Context, user people.User, next string) (answer, error) {
	if err := s.sessions.SignIn(ctx, user); err != nil {
		return answer{}, err
	}
	if offers, err := s.People.Offers(ctx, user); err != nil {
		return answer{}, err
	} else if len(offers) > 0 {
		s.notify(ctx, "You have an invitation to "+offers[0].OrganizationName+". To accept or decline it, open Organizations in the menu of your account.")
	}
	return redirect(next), nil
}

func (s *site) signOut(ctx context.Context, v *visit) (answer, error) {
	if v.user.ID != "" {
		if err := s.People.SignedOut(ctx, v.user, v.client(), "this one"); err != nil {
			return answer{}, err
		}
	}
	if err := s.sessions.SignOut(ctx); err != nil {
		return answer{}, err
	}
	return redirect("/sign-in?out=1"), nil
}

// refused returns the form for input that is invalid, or for one attempt too many,
// which is a fault of the field. ok is false for other errors.
func refused(err error, field string, form func(faults) answer) (a answer, ok bool) {
	if invalid, ok := errors.AsType[*tokens.ValidationError](err); ok {
		return form(faultsOf(invalid)).as(http.StatusUnprocessableEntity), true
	}
	throttled, ok := errors.AsType[*people.ThrottledError](err)
	if !ok {
		return answer{}, false
	}
	a = form(faults{{field, throttledText(throttled.RetryAfter)}}).as(http.StatusTooManyRequests)
	a.retryAfter = throttled.RetryAfter
	return a, true
}

func throttledText(wait time.Duration) string {
	minutes := int(math.Ceil(wait.Minutes()))
	unit := "minutes"
	if minutes == 1 {
		unit = "minute"
	}
	return fmt.Sprintf("Too many attempts. You can try again in %d %s.", minutes, unit)
}
