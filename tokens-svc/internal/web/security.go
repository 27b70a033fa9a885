package web

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/totp"
)

// securityPath is the page of a person's factors.
const securityPath = "/settings/security"

// keyApp is where a session keeps the sealed key of an authenticator app until a code confirms it.
const keyApp = "app"

// securityForm is the page Sign-in security.
type securityForm struct {
	pages.Faults
	people.Factors
	Apps, Passable bool // can be added
	Name           string
}

func (s *site) showSecurity(ctx context.Context, v *visit) (answer, error) {
	has, err := s.People.Factors(ctx, v.person.User)
	return page("security", "Sign-in security", &securityForm{
		Factors: has, Apps: hasApps(s), Passable: hasPasskeys(s), Name: v.PostForm.Get("name"),
	}), err
}

// appForm is the page on which an authenticator app reads its key.
type appForm struct {
	pages.Faults
	Secret string
	QR     string // the path of an SVG
	Side   int
}

func (s *site) newApp(ctx context.Context, v *visit) (answer, error) {
	s.Sessions.Put(ctx, keyApp, s.People.NewApp(v.person.User))
	return redirect(securityPath + "/app"), nil
}

// showApp shows the key that the session keeps.
func (s *site) showApp(ctx context.Context, v *visit) (answer, error) {
	sealed := s.Sessions.Get(ctx, keyApp)
	if sealed == "" {
		return redirect(securityPath), nil
	}
	secret, url, err := s.People.App(v.person.User, sealed)
	if err != nil {
		return answer{}, err
	}
	f := &appForm{Secret: secret}
	f.QR, f.Side, err = totp.QR(url)
	return page("app", "Add an authenticator app", f), err
}

func (s *site) addApp(ctx context.Context, v *visit) (answer, error) {
	form, err := s.showApp(ctx, v)
	if err != nil || form.to != "" {
		return form, err
	}
	sealed, err := s.Sessions.Take(ctx, keyApp)
	if err != nil {
		return answer{}, err
	}
	codes, err := s.People.AddApp(ctx, v.person.User, sealed, v.PostForm.Get("code"), v.client())
	if err != nil {
		s.Sessions.Put(ctx, keyApp, sealed)
		return refused(err, "code", form, wrongCodeOfApp("code"))
	}
	a := page("recovery-codes", "Keep your recovery codes", codes)
	a.holdsSecret = true
	return a, nil
}

func (s *site) removeApp(ctx context.Context, v *visit) (answer, error) {
	return s.done(ctx, s.People.RemoveApp(ctx, v.person.User, v.client()), securityPath,
		"The authenticator app was removed. Your password alone signs you in again.")
}

// keyPasskey and keyNewPasskey are where a session keeps the ceremony that its browser is in.
const (
	keyPasskey    = "passkey"
	keyNewPasskey = "new passkey"
)

func (s *site) challengePasskey(ctx context.Context, _ *visit) (answer, error) {
	options, ceremony, err := s.People.BeginSignIn()
	s.Sessions.Put(ctx, keyPasskey, ceremony)
	return answer{status: http.StatusOK, json: options}, err
}

func (s *site) signInWithPasskey(ctx context.Context, v *visit) (answer, error) {
	f := s.signInForm(v)
	user, err := s.withPasskey(ctx, v, v.PostForm.Get("passkey"))
	if err != nil {
		return refused(err, "passkey", f.answer(), wrongPasskey("passkey"))
	}
	return s.startSession(ctx, v, user, s.People.Now(), f.Next)
}

// withPasskey returns the person whose passkey signed in the ceremony that the session keeps.
func (s *site) withPasskey(ctx context.Context, v *visit, response string) (people.User, error) {
	ceremony, err := s.Sessions.Take(ctx, keyPasskey)
	if err != nil {
		return people.User{}, err
	}
	return s.People.SignInWithPasskey(ctx, ceremony, response, v.client())
}

func (s *site) challengeNewPasskey(ctx context.Context, v *visit) (answer, error) {
	options, ceremony, err := s.People.BeginPasskey(ctx, v.person.User)
	s.Sessions.Put(ctx, keyNewPasskey, ceremony)
	return answer{status: http.StatusOK, json: options}, err
}

func (s *site) addPasskey(ctx context.Context, v *visit) (answer, error) {
	form, err := s.showSecurity(ctx, v)
	if err != nil {
		return answer{}, err
	}
	ceremony, err := s.Sessions.Take(ctx, keyNewPasskey)
	if err != nil {
		return answer{}, err
	}
	name, response := v.PostForm.Get("name"), v.PostForm.Get("passkey")
	err = s.People.AddPasskey(ctx, v.person.User, name, ceremony, response, v.client())
	if err != nil {
		return refused(err, "name", form, refusal{people.ErrFactor, "name", "Your browser made no passkey. Try again."})
	}
	return s.done(ctx, nil, securityPath, "The passkey was added. You can sign in with it.")
}

func (s *site) removePasskey(ctx context.Context, v *visit) (answer, error) {
	return s.done(ctx, s.People.RemovePasskey(ctx, v.person.User, v.PostForm.Get("passkey"), v.client()), securityPath,
		"The passkey was removed. Delete it in your browser or password manager, too.")
}
