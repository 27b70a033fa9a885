package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// shownToken is the one page that holds a token's text.
type shownToken struct {
	tokens.Token
	Secret   string
	Previous tokens.Token // zero, or whose place it takes
	BaseURL  string
	Watch    string // where the page asks for the first request
}

// shown is the one place where a token leaves the program for a browser.
func (s *site) shown(v *visit, t tokens.Token, secret tokens.Secret, previous tokens.Token) answer {
	a := page("shown", "Copy your new token", shownToken{
		Token: t, Secret: secret.Reveal(), Previous: previous, BaseURL: strings.TrimSuffix(s.PublicURL.String(), "/"),
		Watch: v.path("/api/" + string(t.ID) + "/first-use"),
	}).in("api")
	a.once = true
	return a
}

// once returns the principal of a form that takes effect once: the nonce of the form is
// an idempotency key of the person.
func (v *visit) once() tokens.Principal {
	return v.principal().WithKey(tokens.NewKey([sha256.Size]byte{}, v.site.Tokens.Now(),
		"form", string(v.user.ID), v.PostForm.Get("form")))
}

// usedForm is the page for a form that was sent before.
type usedForm struct {
	Token tokens.Token // that it made
	Mine  bool         // this person may change it
}

// notMade is the answer to a form that made no token because of err: one that was sent
// before, or the form with its faults.
func (s *site) notMade(ctx context.Context, v *visit, err error, form func(faults) answer) (answer, error) {
	if repeated, ok := errors.AsType[*tokens.RepeatedError](err); ok {
		t, err := s.Tokens.Token(ctx, v.org(), repeated.Token)
		f := usedForm{t, v.principal().MayChange(t)}
		return page("used", "This form was sent before", f).in("api").as(http.StatusConflict), err
	}
	if wrong := faultsOf(err); wrong != nil {
		return form(wrong), nil
	}
	return answer{}, err
}
