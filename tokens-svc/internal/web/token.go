package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// find returns the token of the visit as a row.
func (s *site) find(ctx context.Context, v *visit) (tokenEntry, error) {
	t, err := s.Tokens.Token(ctx, v.org(), v.token())
	if err != nil {
		return tokenEntry{}, err
	}
	usage, err := s.Tokens.Usage(ctx, v.org(), t)
	return s.entry(v, t, usage[t.ID]), err
}

// findFor is find for a change that may reports to make sense.
func (s *site) findFor(ctx context.Context, v *visit, may func(tokenEntry) bool) (tokenEntry, error) {
	row, err := s.find(ctx, v)
	switch {
	case err != nil:
	case !v.principal().MayChange(row.Token):
		err = tokens.ErrForbidden
	case !may(row):
		err = &tokens.StateError{ID: row.ID}
	}
	return row, err
}

// notActive is the response to a change of a token that is no longer active.
func notActive(v *visit, id tokens.TokenID) answer {
	return problemPage(http.StatusConflict, pages.Problem{
		Heading: "Already done", Text: "The token is no longer active or was already rotated. No changes were made.",
		To: v.path("/api/" + string(id)), Link: "View token",
	})
}

// firstUse tells the page of a new token when it was used, and from where.
func (s *site) firstUse(ctx context.Context, v *visit) (answer, error) {
	row, err := s.find(ctx, v)
	return answer{status: http.StatusOK, json: struct {
		At      time.Time     `json:"at,omitzero"`
		Address audit.Address `json:"address,omitzero"`
	}{row.Usage.LastUsedAt, row.Usage.Address}}, err
}

// revokeForm is the one question before a token is revoked, and before an overlap is ended, which is the same thing.
type revokeForm struct {
	pages.Faults
	tokenEntry
	Reason   string
	Children int // how many active tokens were made with it
}

func (s *site) showRevoke(ctx context.Context, v *visit) (answer, error) {
	row, err := s.findFor(ctx, v, func(row tokenEntry) bool { return row.Revocable })
	if err != nil {
		return answer{}, err
	}
	return s.revokePage(ctx, v, row)
}

func (s *site) revokePage(ctx context.Context, v *visit, row tokenEntry) (answer, error) {
	children, err := s.Tokens.Children(ctx, row.Token)
	f := &revokeForm{tokenEntry: row, Reason: v.PostForm.Get("reason"), Children: len(children)}
	title := "Revoke " + row.Name
	if f.RotatedTo != "" {
		title = "End the overlap of " + f.Name
	}
	return page("revoke", title, f), err
}

func (s *site) revoke(ctx context.Context, v *visit) (answer, error) {
	t, err := s.Tokens.RevokeToken(ctx, v.principal(), v.org(), v.token(), v.PostForm.Get("reason"),
		v.PostForm.Get("children") == "true")
	if wrong := faultsOf(err); wrong != nil {
		row, err := s.find(ctx, v)
		if err != nil {
			return answer{}, err
		}
		form, err := s.revokePage(ctx, v, row)
		return form.with(wrong...), err
	}
	return s.done(ctx, err, v.path("/api"),
		t.Name+" ("+public(t)+") was revoked. Requests with it are refused, usually within a second.")
}

// public returns the public part of a token's text.
func public(t tokens.Token) string {
	return "shpt_" + string(t.Environment) + "_" + strings.TrimPrefix(string(t.ID), "tok_") + "_…"
}

// shown is the one place where a token leaves the program for a browser.
func (s *site) shown(t tokens.Token, secret tokens.Secret, previous tokens.Token) answer {
	a := page("shown", "Copy your new token", tokenEntry{
		Token: t, Secret: secret.Reveal(), Previous: previous, BaseURL: strings.TrimSuffix(s.PublicURL.String(), "/"),
	})
	a.holdsSecret = true
	return a
}

// keyed returns the principal of a form that takes effect once: the nonce of the form is
// an idempotency key of the person.
func (v *visit) keyed() tokens.Principal {
	return v.principal().WithKey(tokens.NewKey([sha256.Size]byte{}, v.site.Tokens.Now(),
		"form", string(v.person.ID), v.PostForm.Get("form")))
}

// notMade is the answer to a form that made no token because of err: one that was sent
// before, or the form with its faults.
func (s *site) notMade(ctx context.Context, v *visit, err error, form answer) (answer, error) {
	if repeated, ok := errors.AsType[*tokens.RepeatedError](err); ok {
		t, err := s.Tokens.Token(ctx, v.org(), repeated.Token)
		entry := s.entry(v, t, tokens.Use{})
		return page("used", "This form was sent before", entry).as(http.StatusConflict), err
	}
	if wrong := faultsOf(err); wrong != nil {
		return form.with(wrong...), nil
	}
	return answer{}, err
}
