package web

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/web/websession"
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

// usedForm is the page for a form that was sent before.
type usedForm struct {
	Token tokens.Token // the created token; zero: not known
	Mine  bool         // this person may change it
}

// useForm uses up the form of the visit. When it was used before, it returns
// the answer that says so.
func (s *site) useForm(ctx context.Context, v *visit, what string) (websession.Use, answer, error) {
	used, err := s.sessions.UseForm(ctx, purpose(what, v), v.PostForm.Get("form"))
	if err != nil || !used.Known || used.Fresh {
		return used, answer{}, err
	}
	f := usedForm{}
	if used.Outcome != "" {
		if f.Token, err = s.Tokens.Token(ctx, v.org(), tokens.TokenID(used.Outcome)); err != nil {
			return used, answer{}, err
		}
		f.Mine = v.principal().MayChange(f.Token)
	}
	return used, page("used", "This form was sent before", f).in("api").as(http.StatusConflict), nil
}

// noteForm keeps which token a form made. Without it the page for a form that
// is sent again says less, and nothing else.
func (s *site) noteForm(ctx context.Context, v *visit, used websession.Use, made tokens.TokenID) {
	if err := s.sessions.NoteForm(ctx, used, string(made)); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "form result not stored",
			slog.String("error", err.Error()), slog.String("request_id", requestid.Of(v.Request)))
	}
}
