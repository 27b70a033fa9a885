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

// securityPage is the page Sign-in security.
type securityPage struct {
	pages.Faults
	people.Factors
	Apps, Passable bool // can be added
	Name           string
}

func (s *site) securityPage(ctx context.Context, v *visit) (securityPage, error) {
	has, err := s.People.Factors(ctx, v.user)
	return securityPage{Factors: has, Apps: hasApps(s), Passable: hasPasskeys(s), Name: v.PostForm.Get("name")}, err
}

func (p securityPage) with(all faults) answer {
	p.Faults = all
	return page("security", "Sign-in security", p)
}

func (s *site) showSecurity(ctx context.Context, v *visit) (answer, error) {
	p, err := s.securityPage(ctx, v)
	return p.with(nil), err
}

// appForm is the page on which an authenticator app reads its key.
type appForm struct {
	pages.Faults
	Secret string
	QR     string // the path of an SVG
	Side   int
}

func (f appForm) with(all faults) answer {
	f.Faults = all
	return page("app", "Add an authenticator app", f)
}

func (s *site) newApp(ctx context.Context, v *visit) (answer, error) {
	s.sessions.Put(ctx, keyApp, s.People.NewApp(v.user))
	return redirect(securityPath + "/app"), nil
}

// appForm returns the form of the key that the session keeps, and keeps it for another attempt.
func (s *site) appForm(ctx context.Context, v *visit) (f appForm, sealed string, err error) {
	if sealed = s.sessions.Take(ctx, keyApp); sealed == "" {
		return f, "", nil
	}
	s.sessions.Put(ctx, keyApp, sealed)
	secret, url, err := s.People.App(v.user, sealed)
	if err != nil {
		return f, "", err
	}
	f.Secret = secret
	f.QR, f.Side, err = totp.QR(url)
	return f, sealed, err
}

func (s *site) showApp(ctx context.Context, v *visit) (answer, error) {
	f, sealed, err := s.appForm(ctx, v)
	if sealed == "" && err == nil {
		return redirect(securityPath), nil
	}
	return f.with(nil), err
}

func (s *site) addApp(ctx context.Context, v *visit) (answer, error) {
	f, sealed, err := s.appForm(ctx, v)
	if err != nil || sealed == "" {
		return redirect(securityPath), err
	}
	codes, err := s.People.AddApp(ctx, v.user, sealed, v.PostForm.Get("code"), v.client())
	if err != nil {
		return refused(err, "code", f.with, wrongCodeOfApp("code"))
	}
	s.sessions.Take(ctx, keyApp)
	a := page("recovery-codes", "Keep your recovery codes", codes)
	a.once = true
	return a, nil
}

func (s *site) removeApp(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.RemoveApp(ctx, v.user, v.client()); err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The authenticator app was removed. Your password alone signs you in again.")
	return redirect(securityPath), nil
}

// keyPasskey and keyNewPasskey are where a session keeps the ceremony that its browser is in.
const (
	keyPasskey    = "passkey"
	keyNewPasskey = "new passkey"
)

func (s *site) challengePasskey(ctx context.Context, _ *visit) (answer, error) {
	options, ceremony, err := s.People.BeginSignIn()
	s.sessions.Put(ctx, keyPasskey, ceremony)
	return answer{status: http.StatusOK, json: options}, err
}

func (s *site) signInWithPasskey(ctx context.Context, v *visit) (answer, error) {
	f := s.signInPage(v)
	user, err := s.People.SignInWithPasskey(ctx, s.sessions.Take(ctx, keyPasskey), v.PostForm.Get("passkey"), v.client())
	if err != nil {
		return refused(err, "passkey", f.with, wrongPasskey("passkey"),
			refusal{people.ErrDisabled, http.StatusForbidden, "passkey", disabledText})
	}
	return s.startSessionWithPassword(ctx, user, f.Next)
}

func (s *site) challengeNewPasskey(ctx context.Context, v *visit) (answer, error) {
	options, ceremony, err := s.People.BeginPasskey(ctx, v.user)
	s.sessions.Put(ctx, keyNewPasskey, ceremony)
	return answer{status: http.StatusOK, json: options}, err
}

func (s *site) addPasskey(ctx context.Context, v *visit) (answer, error) {
	p, err := s.securityPage(ctx, v)
	if err != nil {
		return answer{}, err
	}
	ceremony, response := s.sessions.Take(ctx, keyNewPasskey), v.PostForm.Get("passkey")
	err = s.People.AddPasskey(ctx, v.user, p.Name, ceremony, response, v.client())
	if err != nil {
		return refused(err, "name", p.with,
			refusal{people.ErrFactor, http.StatusUnprocessableEntity, "name", "Your browser made no passkey. Try again."})
	}
	s.notify(ctx, "The passkey was added. You can sign in with it.")
	return redirect(securityPath), nil
}

func (s *site) removePasskey(ctx context.Context, v *visit) (answer, error) {
	if err := s.People.RemovePasskey(ctx, v.user, v.PostForm.Get("passkey"), v.client()); err != nil {
		return answer{}, err
	}
	s.notify(ctx, "The passkey was removed. Delete it in your browser or password manager, too.")
	return redirect(securityPath), nil
}
