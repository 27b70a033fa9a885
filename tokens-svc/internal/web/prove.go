package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// proofLife is for how long a proof of who somebody is counts as recent.
const proofLife = 15 * time.Minute

// proofForm is the page on which a signed-in person proves again who they are. It holds the form that
// was sent, which it sends again with the proof, so that nothing is lost and nothing is kept. Who signs in at the
// issuer comes back to the page of the form.
type proofForm struct {
	pages.Faults
	Path  string
	Form  url.Values
	Back  string
	Leads bool // back, instead of continuing with the form
	// The ways of this person: the code of an app instead of the password, and the issuer without either.
	Password, Code, Passkey, Issuer bool
}

func (f *proofForm) answer() answer {
	return page("prove", "Confirm that it's you", f).as(http.StatusForbidden)
}

// prove reports whether the person has proved recently who they are, or does so with this request: then
// the session is as young as after a sign-in. Otherwise it returns the page that asks.
func (s *site) prove(ctx context.Context, v *visit) (proved bool, ask answer, err error) {
	if s.provedRecently(ctx) && v.URL.Path != provePath {
		return true, answer{}, nil
	}
	take := func(name string) string {
		defer v.PostForm.Del(name) // what remains is the form that was sent first
		return v.PostForm.Get(name)
	}
	password, code, passkey := take("proof-password"), take("proof-code"), take("proof-passkey")
	f, err := s.proofForm(ctx, v)
	if err != nil {
		return false, answer{}, err
	}
	user, wrong := people.User{}, refusal{}
	switch {
	case f.Passkey && passkey != "":
		wrong = wrongPasskey("proof-passkey")
		user, err = s.withPasskey(ctx, v, passkey)
		if err == nil && user.ID != v.person.ID {
			err = people.ErrFactor
		}
	case f.Code && code != "":
		wrong = wrongCodeOfApp("proof-code")
		user, err = s.People.SignInWithCode(ctx, v.person.User, code, v.client())
	case f.Password && password != "":
		wrong = refusal{people.ErrRefused, "proof-password", "Incorrect password."}
		user, err = s.People.SignIn(ctx, v.person.Email, password, v.client())
	default:
		return false, f.answer(), nil
	}
	if err != nil {
		ask, err = refused(err, wrong.field, f.answer(), wrong)
		return false, ask, err
	}
	ended, err := s.Sessions.Prove(ctx, user, s.People.Now())
	return !ended, redirect("/sign-in?ended=1"), err
}

// provePath is the page on which people prove who they are for a page of another service, to which it then leads back.
// It asks in any case: that service may count the age of the proof by another clock.
const provePath = "/settings/prove"

// returnField names the page that sent the person here.
const returnField = "return"

func (s *site) showProof(ctx context.Context, v *visit) (answer, error) {
	f, err := s.proofForm(ctx, v)
	if err != nil {
		return answer{}, err
	}
	return f.answer().as(http.StatusOK), nil
}

// returnWithProof is reached with a proof only.
func (s *site) returnWithProof(_ context.Context, v *visit) (answer, error) {
	return redirect(safeNext(v.PostForm.Get(returnField))), nil
}

// provedRecently reports whether the proof of the session is recent.
func (s *site) provedRecently(ctx context.Context) bool {
	return s.isRecent(s.Sessions.Current(ctx).ProvedAt)
}

func (s *site) isRecent(proof time.Time) bool { return s.People.Now().Sub(proof) < proofLife }

func (s *site) proofForm(ctx context.Context, v *visit) (*proofForm, error) {
	has, err := s.People.Factors(ctx, v.person.User)
	if err != nil {
		return nil, err
	}
	f := &proofForm{
		Path: v.URL.Path, Form: v.PostForm, Back: safeNext(v.Referer()),
		Password: s.Passwords && has.Password && !has.App, Code: s.Passwords && has.App,
		Passkey: hasPasskeys(s) && len(has.Passkeys) > 0,
	}
	f.Issuer = s.Issuer != nil && !f.Password && !f.Code
	if f.Leads = f.Path == provePath; f.Leads {
		f.Back = safeNext(v.Form.Get(returnField))
		f.Form.Set(returnField, f.Back)
	}
	return f, nil
}
