package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// signInForm is the page on which people sign in.
type signInForm struct {
	pages.Faults
	Email     string
	Next      string
	Passwords bool // which ways there are
	Passkeys  bool
	Issuer    bool
	Mails     bool
	Hint      string // why the person was redirected here
}

func (s *site) signInPage(v *visit) signInForm {
	return signInForm{
		Email: v.PostForm.Get("email"), Next: safeNext(v.Form.Get("next")),
		Passwords: s.Passwords, Passkeys: hasPasskeys(s), Issuer: s.Issuer != nil, Mails: s.People.Mails(),
	}
}

func (f signInForm) with(all faults) answer {
	f.Faults = all
	return page("sign-in", "Sign in", f)
}

func (s *site) showSignIn(_ context.Context, v *visit) (answer, error) {
	f := s.signInPage(v)
	if v.user.ID != "" {
		return redirect(f.Next), nil
	}
	switch {
	case v.Form.Has("ended") || v.ended:
		f.Hint = "Your session has ended. Sessions expire after 30 minutes of inactivity and after 12 hours. " +
			"Your last request was not carried out."
	case v.Form.Has("reset"):
		f.Hint = "Your password was set. Sign in with it."
	case v.Form.Has("out"):
		f.Hint = "You have signed out."
	}
	return f.with(nil), nil
}

func (s *site) signIn(ctx context.Context, v *visit) (answer, error) {
	f := s.signInPage(v)
	if empty := v.empty(fault{Field: "email", Text: "Enter your e-mail address."},
		fault{Field: "password", Text: "Enter your password."}); empty != nil {
		return f.with(empty), nil
	}
	user, err := s.People.SignIn(ctx, f.Email, v.PostForm.Get("password"), v.client())
	if err != nil {
		return refused(err, "email", f.with,
			refusal{people.ErrRefused, http.StatusUnprocessableEntity, "email", "Incorrect e-mail address or password."},
			refusal{people.ErrDisabled, http.StatusForbidden, "email", disabledText})
	}
	return s.afterPassword(ctx, user, f.Next)
}

const disabledText = "This account is disabled. Contact your Quayside administrator."

// startSessionWithPassword is startSession for a sign-in that makes the browser a known device.
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
		s.notify(ctx, "You have an invitation to "+offers[0].OrganizationName+
			". To accept or decline it, open Your organizations in the menu with your name.")
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

// refusal is an error that a form shows at one of its fields.
type refusal struct {
	err         error
	status      int
	field, text string
}

// refused returns the form for one of these errors, for input that is invalid, or
// for one attempt too many, which is a fault of the field. It returns any other
// error.
func refused(err error, field string, form func(faults) answer, known ...refusal) (answer, error) {
	if wrong := faultsOf(err); wrong != nil {
		return form(wrong), nil
	}
	if throttled, ok := errors.AsType[*people.ThrottledError](err); ok {
		a := form(faults{{Field: field, Text: throttledText(throttled.RetryAfter)}}).as(http.StatusTooManyRequests)
		a.retryAfter = throttled.RetryAfter
		return a, nil
	}
	for _, r := range known {
		if errors.Is(err, r.err) {
			return form(faults{{Field: r.field, Text: r.text}}).as(r.status), nil
		}
	}
	return answer{}, err
}

func throttledText(wait time.Duration) string {
	return "Too many attempts. You can try again in " + counted(int64(math.Ceil(wait.Minutes())), "minute") + "."
}

// deviceLife is for how long a browser is known after a sign-in there.
const deviceLife = 180 * 24 * time.Hour

// deviceCookie returns the name of the cookie by which a browser is known.
func (s *site) deviceCookie() string {
	if s.secure {
		return "__Host-quayside-device"
	}
	return "quayside-device"
}

// rememberDevice sets a cookie that marks the browser as one in which this person
// signed in with a password.
func (s *site) rememberDevice(ctx context.Context, a answer, user people.User) (answer, error) {
	device, err := s.People.NewDevice(ctx, user)
	if err != nil || device == "" {
		return a, err
	}
	a.cookie = &http.Cookie{ //nolint:gosec // G124: not Secure only on plain http, which is for development
		Name: s.deviceCookie(), Value: device, Path: "/", MaxAge: int(deviceLife.Seconds()),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	return a, nil
}
