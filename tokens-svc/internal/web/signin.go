package web

import (
	"context"
	"encoding/json"
	"fmt"
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

func (s *site) signInForm(v *visit) *signInForm {
	return &signInForm{
		Email: v.PostForm.Get("email"), Next: safeNext(v.Form.Get("next")),
		Passwords: s.Passwords, Passkeys: hasPasskeys(s), Issuer: s.Issuer != nil, Mails: s.People.Mails(),
	}
}

func (f *signInForm) answer() answer { return page("sign-in", "Sign in", f) }

func (s *site) showSignIn(_ context.Context, v *visit) (answer, error) {
	f := s.signInForm(v)
	if v.person.ID != "" {
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
	return f.answer(), nil
}

func (s *site) signIn(ctx context.Context, v *visit) (answer, error) {
	f := s.signInForm(v)
	if empty := v.empty("email", "password"); empty != nil {
		return f.answer().with(empty...), nil
	}
	user, err := s.People.SignIn(ctx, f.Email, v.PostForm.Get("password"), v.client())
	if err != nil {
		return refused(err, "email", f.answer(),
			refusal{people.ErrRefused, "email", "Incorrect e-mail address or password."})
	}
	return s.afterPassword(ctx, v, user, f.Next)
}

// keyCode is where a session that waits for the code of an app keeps a codeStep.
const keyCode = "code"

// codeStepLife is how long a person has to find the code.
const codeStepLife = 10 * time.Minute

// codeStep is a sign-in whose password was right, and which needs a code.
type codeStep struct {
	User  people.UserID
	Epoch int64 // of the account's sessions at that time
	Next  string
	Ends  time.Time
}

// codePage is the second page of signing in.
func codePage() answer { return page("code", "Enter a code", new(pages.Faults)) }

// afterPassword starts the session of a person whose password was right, or leads to the second page.
func (s *site) afterPassword(ctx context.Context, v *visit, user people.User, next string) (answer, error) {
	if !user.HasApp {
		return s.startSession(ctx, v, user, s.People.Now(), next)
	}
	if err := s.Sessions.SignIn(ctx, people.User{}, time.Time{}); err != nil { // without a user, under a new token
		return answer{}, err
	}
	err := s.keep(ctx, keyCode, codeStep{user.ID, user.SessionEpoch, next, s.People.Now().Add(codeStepLife)})
	return redirect("/sign-in/code"), err
}

// keep stores a value in the session until it is taken.
func (s *site) keep(ctx context.Context, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("keep %s: %w", key, err)
	}
	s.Sessions.Put(ctx, key, string(text))
	return nil
}

func (s *site) showCode(ctx context.Context, _ *visit) (answer, error) {
	if _, ok := s.codeStep(ctx); !ok {
		return redirect("/sign-in"), nil
	}
	return codePage(), nil
}

// codeStep returns the sign-in that the session keeps.
func (s *site) codeStep(ctx context.Context) (step codeStep, ok bool) {
	err := json.Unmarshal([]byte(s.Sessions.Get(ctx, keyCode)), &step)
	return step, err == nil && s.People.Now().Before(step.Ends)
}

func (s *site) signInWithCode(ctx context.Context, v *visit) (answer, error) {
	step, ok := s.codeStep(ctx)
	if !ok {
		return redirect("/sign-in?ended=1"), nil
	}
	user, err := s.People.User(ctx, step.User)
	if err != nil {
		return answer{}, err
	}
	user.SessionEpoch = step.Epoch
	if user, err = s.People.SignInWithCode(ctx, user, v.PostForm.Get("code"), v.client()); err != nil {
		return refused(err, "code", codePage(), wrongCodeOfApp("code"))
	}
	return s.startSession(ctx, v, user, s.People.Now(), step.Next)
}

func wrongCodeOfApp(field string) refusal {
	return refusal{
		people.ErrFactor, field,
		"This code isn't valid. A code of the app works once, and for about a minute.",
	}
}

func wrongPasskey(field string) refusal {
	return refusal{people.ErrFactor, field, "This passkey isn't valid here. Use another one, or your password."}
}

// deviceLife is for how long a browser is known after a sign-in there.
const deviceLife = 180 * 24 * time.Hour

// markDevice sets a cookie that marks the browser as one in which this person proved who they are.
func (s *site) markDevice(ctx context.Context, v *visit, user people.User) error {
	device, err := s.People.NewDevice(ctx, user)
	if err != nil {
		return err
	}
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // G124: not Secure only on plain http, which is for development
		Name: s.deviceCookie(), Value: device, Path: "/", MaxAge: int(deviceLife.Seconds()),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	return nil
}

// startSession signs a person in who proved at that time who they are, redirects, and mentions an open invitation.
func (s *site) startSession(
	ctx context.Context, v *visit, user people.User, proved time.Time, next string,
) (answer, error) {
	if err := s.markDevice(ctx, v, user); err != nil {
		return answer{}, err
	}
	if err := s.Sessions.SignIn(ctx, user, proved); err != nil {
		return answer{}, err
	}
	offers, err := s.People.Offers(ctx, user)
	if len(offers) > 0 {
		s.notify(ctx, "You have an invitation to "+offers[0].OrganizationName+
			". To accept or decline it, open Your organizations in the menu with your name.")
	}
	return redirect(next), err
}

func (s *site) signOut(ctx context.Context, _ *visit) (answer, error) {
	return redirect("/sign-in?out=1"), s.Sessions.SignOut(ctx)
}
